/** The style of the gateway's page: light, dark and on a phone, with the colours of report pages. */
import { baseStyle } from "../core/src/report/PageAssets.ts"

export const pageStyle = `${baseStyle}
header,main,footer{max-width:72rem;margin:0 auto;padding:0 1.5rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between;min-height:3.25rem;padding-top:.5rem;padding-bottom:.5rem;border-bottom:1px solid var(--line)}
header a{color:var(--text);font-weight:650;text-decoration:none}
main{padding-top:1.5rem;padding-bottom:3rem}
h1{margin:0 0 .25rem;font-size:1.5rem;line-height:1.25}
h2{margin:0 0 .5rem;font-size:1.1rem}
p{margin:0 0 .75rem}
a{color:var(--accent)}
.sub,caption,.panel dt{color:var(--muted);font-size:.875rem}
.say{margin:1rem 0;padding:.75rem 1rem;border-left:4px solid var(--warn);border-radius:.25rem;background:var(--plane)}
.say p:last-child,.say:last-child{margin-bottom:0}
h1:focus{outline:none}
form{max-width:40rem;display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:1rem 0}
label{display:block;flex:1 1 16rem;font-weight:600}
input{display:block;width:100%;margin-top:.25rem;font-weight:400!important}
input,button{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--muted);border-radius:.35rem;padding:.4rem .75rem;min-height:2.5rem}
button{cursor:pointer;background:var(--plane);white-space:nowrap}
button.main{background:var(--accent);border-color:var(--accent);color:var(--ground);font-weight:600}
button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
ul.ids{columns:14rem;padding:0;margin:1rem 0;list-style:none}
ul.ids a{display:inline-block;padding:.3rem 0}
table{width:100%;border-collapse:collapse;margin-top:.75rem}
caption{text-align:left;padding-bottom:.4rem}
th,td{padding:.5rem .75rem .5rem 0;text-align:left;vertical-align:middle;border-top:1px solid var(--line);font-weight:400}
thead th,thead td{border:0;box-shadow:inset 0 -2px var(--line);font-weight:600}
.state{width:32%}
tbody th{font-weight:500}
.number{text-align:right;white-space:nowrap}
thead .number{width:8rem}
.number{padding-right:2rem}
.act{text-align:right;width:1%;padding-right:0;white-space:nowrap}
.act button+button{margin-left:.5rem}
.away{color:var(--warn);font-weight:600}
.good{color:var(--good)}.bad{color:var(--bad)}
tr.panel>td{padding:0 0 1rem;border:0}
.panel>td>div,.panel dl{min-width:0}
.panel>td>div{padding:.9rem 1rem;border-radius:.5rem;background:var(--plane)}
.panel dl{margin:.75rem 0 0}
.panel dt{margin-top:.5rem}
.panel dd{display:flex;gap:.5rem;align-items:start;margin:.15rem 0 0}
.panel dd button{flex:none}
code{flex:1 1 auto;min-width:0;padding:.5rem .65rem;border:1px solid var(--line);border-radius:.35rem;background:var(--ground);font-family:var(--mono);font-size:.8rem;line-height:1.5;overflow-wrap:anywhere}
.row{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
#view{margin:1rem 0 1.5rem}
#view form{max-width:none;margin:0}
#view p.bad{margin:.5rem 0}
.bad button{color:var(--text)}
#view form>a{padding:.5rem}
summary{cursor:pointer}
details{margin:.5rem 0}
details>form,details>.row{margin:.5rem 0!important}
/* The browser of genomes is drawn in dark on white, whatever the page is. */
#igv{min-height:12rem;margin-top:.5rem;padding:.25rem;border:1px solid var(--line);border-radius:.35rem;background:#fff;color:#1b1f24;color-scheme:light;overflow-x:auto}
@media (max-width:40rem){
header,main,footer{padding-left:1rem;padding-right:1rem}
table,tbody,tbody tr,tbody th,tbody td,caption{display:block}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 .75rem;padding:.6rem 0;border-top:1px solid var(--line)}
tbody tr.panel{display:block;padding:0;border:0}
tbody th,tbody td{padding:0;border:0}
tbody th{grid-column:1}
tbody td,.state{grid-column:1;width:auto}
tbody .number{text-align:left;padding:0;color:var(--muted);font-size:.875rem}
tbody td:empty{display:none}
.act{grid-column:2!important;grid-row:1/4;align-self:center;width:auto}
.panel>td>div{padding:.75rem}
}
`
