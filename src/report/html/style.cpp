#include "report/html/html.h"

// Colours: teal for what passed, vermilion for what failed, amber for what to look at: apart in lightness too, and each
// with a sign, for eyes that tell red from green badly. Times are one blue that gets darker.
namespace rollcall::report::html {

const char* const kStyle = R"css(
:root{color-scheme:light dark;--bg:#f4f5f6;--card:#fff;--ink:#1a1f26;--quiet:#5b6572;--line:#dde1e6;--soft:#eef0f3;
--p:#0b7a63;--pbg:#d3ece4;--f:#c2410c;--fink:#fff;--a:#8a5a00;--abg:#fde8b6;--abar:#e0a100;--s:#7b8490;--sbg:#e9ebee;
--r:#1d4ed8;--rbg:#dbe6fd;--t0:#dceaf6;--t1:#a9cbe6;--t2:#6fa5d0;--t3:#3c7db3;--t4:#1c5185;--nbg:#f1f2f4;
--sched:#b8bfc9;--start:#8f9aa8;--pull:#7c6bc4;--wait:#d9c7f0;--held:#e0a100}
@media(prefers-color-scheme:dark){:root{--bg:#12151a;--card:#1b2027;--ink:#e7eaee;--quiet:#9aa5b3;--line:#323a45;--soft:#262d37;
--p:#5fd0b3;--pbg:#153f36;--f:#e8622c;--fink:#fff;--a:#f5c451;--abg:#473608;--abar:#d99a08;--s:#8f99a6;--sbg:#2a313b;
--r:#8fb2ff;--rbg:#1c2f5c;--t0:#233446;--t1:#2b5378;--t2:#3a78ad;--t3:#67a6d8;--t4:#b5dcf7;--nbg:#232932;
--sched:#4b5563;--start:#6b7788;--pull:#8f7fe0;--wait:#4d4170;--held:#d99a08}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:28px 20px 40px}
h1{font-size:30px;line-height:1.2;margin:0;overflow-wrap:anywhere}
h2{font-size:18px;margin:0 0 10px}h2 small,h3 small{font-weight:400;color:var(--quiet);font-size:13px;margin-left:6px}
h3{font-size:14px;margin:20px 0 6px}
p{margin:0 0 8px}code{font:13px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
.sim{background:var(--abg);color:var(--a);border:2px dashed var(--abar);border-radius:10px;padding:10px 16px;margin-bottom:20px}
.sim b{letter-spacing:.08em;margin-right:8px}
header{margin-bottom:22px}
.over{color:var(--quiet);margin:0 0 2px}
.title{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:center}
.pill{font-weight:600;border-radius:999px;padding:3px 14px;white-space:nowrap}
.pill.good{background:var(--pbg);color:var(--p)}.pill.bad{background:var(--f);color:var(--fink)}
.pill.held{background:var(--abg);color:var(--a)}.pill.busy{background:var(--rbg);color:var(--r)}
.message{font-size:18px;line-height:1.45;margin:12px 0 14px;max-width:78ch;overflow-wrap:anywhere}
.facts{display:flex;flex-wrap:wrap;gap:8px 30px;margin:0}
.facts dt{color:var(--quiet);font-size:12.5px}.facts dd{margin:0;overflow-wrap:anywhere}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 20px;margin:0 0 18px}
.advice{border-left:6px solid var(--abar)}
.what{font-size:16.5px;font-weight:600;overflow-wrap:anywhere}
.cmd{display:flex;gap:10px;align-items:flex-start;background:var(--soft);border-radius:8px;padding:9px 12px;max-width:100%}
.cmd code{flex:1;overflow-wrap:anywhere;user-select:all}
.cmd button{font:inherit;font-size:13px;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:1px 12px;cursor:pointer}
.note{color:var(--quiet);font-size:13.5px}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;color:var(--quiet);font-size:13px;margin:0 0 12px}
.legend span{display:inline-flex;align-items:center;gap:6px}
.cell{font-style:normal;text-align:center}
.legend .cell{width:20px;height:18px;line-height:18px;border-radius:4px;font-size:12px;font-weight:700}
.swatch{width:18px;height:10px;border-radius:3px}
.p{background:var(--pbg);color:var(--p);fill:var(--p)}.f{background:var(--f);color:var(--fink);fill:var(--f)}
.s{background:var(--sbg);color:var(--s);fill:var(--sched)}.r{background:var(--rbg);color:var(--r);fill:var(--r)}
.w{background:transparent;color:var(--quiet);fill:var(--soft)}.a{background:var(--abg);color:var(--a);fill:var(--abar)}
.t0{background:var(--t0);fill:var(--t0)}.t1{background:var(--t1);fill:var(--t1)}.t2{background:var(--t2);fill:var(--t2)}
.t3{background:var(--t3);fill:var(--t3)}.t4{background:var(--t4);fill:var(--t4)}.n{fill:var(--nbg)}i.n{background:var(--nbg)}
.bad{color:var(--f)}.warn{color:var(--a)}
.tag{display:inline-block;border-radius:5px;padding:1px 8px;font-size:12px;font-weight:700;white-space:nowrap}
ul.findings{list-style:none;margin:0;padding:0}
ul.findings li{display:flex;gap:12px;padding:10px 0;border-top:1px solid var(--line)}ul.findings li:first-child{border-top:0}
ul.findings .tag{flex:none;width:46px;text-align:center;height:22px;line-height:20px}
ul.findings div{min-width:0;overflow-wrap:anywhere}.rule{margin:0 0 2px}.owner{color:var(--quiet);font-size:13px;margin-left:6px}
.rule .chip{margin:0 0 0 6px}.chip{display:inline-block;max-width:100%;background:var(--soft);border-radius:5px;padding:0 7px;margin:0 5px 4px 0;font-size:13px;overflow-wrap:anywhere}
.more{color:var(--quiet);font-size:13px}
details{margin-top:8px}summary{cursor:pointer;color:var(--quiet)}
.scroll{overflow-x:auto}
table{border-collapse:separate;border-spacing:2px;font-size:13.5px}
th{text-align:left;font-weight:600}
.grid{width:100%}.grid th.n{max-width:210px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;padding-right:8px;font-weight:500}
.grid .k{color:var(--quiet);white-space:nowrap;padding-right:8px;font-weight:400}
.grid th.v{vertical-align:bottom;width:40px;min-width:34px;padding:0 0 4px;font-weight:500;font-size:12.5px}
.grid th.v span{writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap;margin:0 auto;display:block}
.grid thead th.n,.grid thead th.k,.grid thead th:last-child{vertical-align:bottom}
.grid td.cell{height:26px;min-width:34px;border-radius:4px;font-weight:700;padding:0}
.grid td.w{background:var(--nbg)}
.grid .all td.cell{height:38px;line-height:1.15}.grid .all small{display:block;font-weight:400;font-size:10.5px;white-space:nowrap}
.grid td.d{max-width:0;width:45%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;padding-left:10px;color:var(--quiet)}
.grid td.d b{font-weight:600}.grid td.d b:not(.bad){color:var(--ink)}
.reasons{margin:12px 0 0;padding-left:18px;font-size:13.5px;color:var(--quiet)}.reasons b{color:var(--ink);font-weight:600}
.side{display:flex;flex-wrap:wrap;gap:10px 26px;align-items:flex-start}.side>svg{flex:1 1 420px;width:auto;min-width:0}.side>div{flex:1 1 320px;min-width:0;overflow-wrap:anywhere}
.pairs{margin-top:8px}.pairs td{padding:2px 10px 2px 0}.pairs td:nth-child(odd):not(:last-child){min-width:84px}.pairs td:nth-child(4){white-space:nowrap}.pairs td:last-child{color:var(--quiet)}
.versions{width:100%;border-spacing:0}.versions th,.versions td{padding:6px 14px 6px 0;border-top:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
.versions tr:first-child>*{border-top:0}.versions th{width:190px;font-weight:500;color:var(--quiet)}.versions .odd th{color:var(--ink);font-weight:600}
.versions b{font-weight:600}.versions small{color:var(--quiet)}.minor{margin-top:5px}
svg{display:block;width:100%;height:auto}svg text{fill:var(--ink);font-size:12px}
svg .end{text-anchor:end}svg .mid{text-anchor:middle}svg .quiet{fill:var(--quiet)}svg .in{fill:#2c1d00}
.matrix{margin-top:4px}.matrix .self{stroke:var(--line);fill:none}.matrix .mark{text-anchor:middle;dominant-baseline:central;font-weight:700;pointer-events:none}
.matrix text.f{fill:var(--fink)}.matrix text.a{fill:#3d2800}
.floor .p{fill:var(--pbg);stroke:var(--p);stroke-opacity:.35}.floor .f{fill:var(--f)}.floor .w{stroke:var(--line)}.floor .x{stroke:var(--fink);stroke-width:2;pointer-events:none}
.chart text:not(.in){paint-order:stroke;stroke:var(--card);stroke-width:3px}.chart .axis{stroke:var(--line);fill:none}.chart .median{stroke:var(--ink);stroke-width:1.5;fill:none}.chart .limit{stroke:var(--a);stroke-dasharray:5 4;fill:none}
.chart{min-width:760px}.chart .p{fill:var(--t3)}.chart .gap{fill:var(--card)}@media(prefers-color-scheme:dark){.chart .p{fill:var(--t2)}}
.sched{fill:var(--sched);background:var(--sched)}.start{fill:var(--start);background:var(--start)}.pull{fill:var(--pull);background:var(--pull)}
.wait{fill:var(--wait);background:var(--wait)}.stage{fill:var(--p);background:var(--p)}.skip{fill:var(--sched)}.swatch.bad,rect.bad{fill:var(--f);background:var(--f)}.held{fill:var(--held)}i.held{background:var(--held)}
path.each{fill:none;stroke-width:1.5;stroke-opacity:.75}path.each.sched{stroke:var(--sched)}path.each.start{stroke:var(--start)}path.each.pull{stroke:var(--pull)}
footer{color:var(--quiet);font-size:13px;margin-top:22px}
@media(max-width:860px){main{padding:18px 12px}.card{padding:14px 12px}.grid td.d{max-width:none;width:auto;min-width:200px}h1{font-size:25px}}
@media print{body{background:#fff}.card{break-inside:avoid}.cmd button{display:none}}
)css";

const char* const kScript =
    R"js(document.querySelectorAll(".cmd button").forEach(function(b){b.hidden=false;b.addEventListener("click",function(){var c=b.previousElementSibling,t=c.textContent;function done(){b.textContent="Copied"}function old(){var r=document.createRange();r.selectNodeContents(c);var s=getSelection();s.removeAllRanges();s.addRange(r);if(document.execCommand("copy"))done()}if(navigator.clipboard)navigator.clipboard.writeText(t).then(done,old);else old()})}))js";

const char* const kScriptHash = "'sha256-4vTGoOwdBgpZtX2763yBpf/bNIGPAUMN1Bfp7yZL1IQ='";

}  // namespace rollcall::report::html
