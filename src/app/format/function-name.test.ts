import { describe, expect, it } from 'vitest';
import { shortFunction } from './function-name.ts';

describe('a short name of a function', () => {
  it.each([
    ['wk::server::Handler::handle(wk::Request const&)', 'wk::server::Handler::handle(…)'],
    [
      'wk::Index<std::basic_string<char> >::lookup(wk::Request const&)::{lambda(std::string const&)#1}::operator()(std::string const&) const',
      'wk::Index<…>::lookup(…)::{lambda(…)#1}::operator()(…) const',
    ],
    ['(anonymous namespace)::run()', '(anonymous namespace)::run()'],
    ['std::operator<< <std::char_traits<char> >(std::ostream&, char const*)', 'std::operator<< <…>(…)'],
    ['Box::operator->() const', 'Box::operator->() const'],
    ['f(auto (*)(int) -> int)', 'f(…)'],
    ['<alloc::vec::Vec<T> as core::ops::Drop>::drop', '<…>::drop'],
    ['<module>', '<module>'],
    ['walk', 'walk'],
    ['cut<off(', 'cut<off('],
    ['closed>', 'closed>'],
  ])('%s', (name, short) => {
    expect(shortFunction(name)).toBe(short);
  });
});
