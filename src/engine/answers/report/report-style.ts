/** Style of reports: light or dark by the system's setting, and for paper. Colours of states are those of the page. */
import { createSha256 } from '../../base/sha256.ts';
import { safe } from './markup.ts';

export const STYLE = safe`
:root{
color-scheme:light dark;
--back:#fff;--panel:#f5f6f8;--line:#e0e3e9;--text:#1a1e25;--muted:#535c6a;
--accent:#3a56c5;--bad:#b3261e;--bad-wash:#fcf0ef;--good:#1f7a45;--good-wash:#eef7f1;
--running:#3d9b5b;--preempted:#c37106;--blocked:#66748a;--network:#cd2f76;--unknown:#c8cdd6;
--lock:#ab2a23;--usual:#3f6fb5;--slow:#b4552d}
@media (prefers-color-scheme:dark){:root{
--back:#14161a;--panel:#191c21;--line:#2a2f37;--text:#e4e7eb;--muted:#a9b0bb;
--accent:#8ea6ff;--bad:#f08a80;--bad-wash:#2c1b1b;--good:#6ccb92;--good-wash:#14231a;
--running:#64d79c;--preempted:#e2a021;--blocked:#64748a;--network:#e07399;--unknown:#414854;
--lock:#cf4a40;--usual:#7aa7e6;--slow:#e0875c}}
*{box-sizing:border-box}
body{margin:0 auto;padding:40px 24px 64px;max-width:976px;background:var(--back);color:var(--text);
font:15px/1.5 -apple-system,'Segoe UI',Roboto,Ubuntu,Cantarell,'Noto Sans','Liberation Sans',system-ui,sans-serif;
font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1{margin:8px 0 16px;font-size:30px;line-height:1.27;font-weight:600;letter-spacing:-.01em;text-wrap:pretty}
h1 b{color:var(--accent)}
h1 .name{font-weight:600}
h2{margin:0 0 8px;font-size:20px;line-height:1.3;font-weight:600}
h3{margin:0 0 2px;font-size:13px;font-weight:600;color:var(--muted)}
p{margin:0 0 12px}
b,strong{font-weight:600}
.name{font-weight:500}
.eyebrow,.lead,.muted,figcaption,caption,footer,thead th{color:var(--muted)}
.eyebrow{margin:0}
.eyebrow strong,.lead b,.lead .name,figcaption .name{color:var(--text)}
section{margin-top:36px;padding-top:24px;border-top:1px solid var(--line)}
header+main>section:first-child{margin-top:20px;padding-top:0;border:0}
article{padding:16px 0;border-bottom:1px solid var(--line)}
article:last-child{border:0;padding-bottom:0}
.of-recording h3,.of-stuck h3{color:var(--bad)}
.sentence{font-size:17px;line-height:1.45;margin:0}
figure{margin:16px 0 0}
figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:4px 24px;margin-bottom:8px;font-size:13px}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px}
.legend span{display:flex;align-items:center;gap:6px}
svg{display:block;font-size:12px}
svg[role=img]{width:100%;height:auto}
text{fill:var(--text)}
.tick{fill:var(--muted);font-size:11px}
.grid{stroke:var(--line)}
.axis{stroke:var(--muted)}
.cell{fill:var(--panel)}
.heat{fill:var(--lock)}
.usual{fill:var(--usual)}
.slow{fill:var(--slow)}
.saved{fill:var(--accent)}
.perhaps{fill:var(--accent);fill-opacity:.4}
.s-running{fill:var(--running)}
.s-preempted{fill:var(--preempted)}
.s-blocked{fill:var(--blocked)}
.s-network{fill:var(--network)}
.s-unknown{fill:var(--unknown)}
table{width:100%;margin:12px 0;border-collapse:collapse;font-size:13px}
caption{padding:4px 0;text-align:left}
th,td{padding:5px 24px 5px 0;border-bottom:1px solid var(--line);text-align:left;font-weight:400}
thead th{white-space:nowrap}
tbody th{font-weight:500}
th:last-child,td:last-child{padding-right:0}
.number{text-align:right;white-space:nowrap}
.saving{display:flex;align-items:center;gap:8px;white-space:nowrap}
.gate{margin:16px 0 0;padding:0;list-style:none}
.gate li{margin-top:4px;padding:8px 12px;border-radius:4px;font-weight:500}
.gate .bad{background:var(--bad-wash);color:var(--bad)}
.gate .good{background:var(--good-wash);color:var(--good)}
nav{margin-top:24px;padding:12px 16px;background:var(--panel);border-radius:6px;font-size:13px}
nav ol{margin:0;padding-left:20px}
ul{margin:0;padding-left:20px}
a{color:var(--accent);text-underline-offset:2px}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.open{margin:8px 0 0;font-size:13px}
.rest{margin-top:16px}
footer{font-size:12px}
footer{margin-top:36px}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:760px){
body{padding:24px 16px}
h1{font-size:24px}
.saving{flex-wrap:wrap;white-space:normal}
th,td{padding-right:12px}}
@media print{
body{padding:0;max-width:none;font-size:11pt}
h1{font-size:20pt}
section{margin-top:18pt;padding-top:12pt}
figure,tr,.sentence{break-inside:avoid}
h2,h3{break-after:avoid}
.open{display:none}}
`;

/** SHA-256 of the style in base64, by which a content security policy names it. */
export function styleDigest(): string {
  const hex = createSha256().update(new TextEncoder().encode(STYLE.text)).hex();
  return btoa(
    (hex.match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join(''),
  );
}
