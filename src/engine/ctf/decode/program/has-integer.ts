import type { FieldClass, IntegerClass } from '../../model.ts';

/** Whether an integer at or below a field class passes a test. */
export function hasInteger(type: FieldClass, test: (type: IntegerClass) => boolean): boolean {
  switch (type.kind) {
    case 'integer':
      return test(type);
    case 'array':
      return hasInteger(type.element, test);
    case 'struct':
      return type.members.some((member) => hasInteger(member.type, test));
    case 'variant':
      return type.options.some((option) => hasInteger(option.type, test));
    case 'optional':
      return hasInteger(type.content, test);
    default:
      return false;
  }
}
