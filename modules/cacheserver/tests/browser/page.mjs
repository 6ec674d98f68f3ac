// Drives the page by Chromium's DevTools protocol: page.mjs DEVTOOLS CACHE CLUSTER FOLDER CACHE_WITH_TOKEN
import { writeFileSync } from 'node:fs';
const [devtools, cache, cluster, folder, locked] = process.argv.slice(2);

const tab = await (await fetch(`${devtools}/json/new?${encodeURIComponent(cache + '/')}`, { method: 'PUT' })).json();
const socket = new WebSocket(tab.webSocketDebuggerUrl);
await new Promise(resolve => { socket.onopen = resolve; });
const waiting = new Map();
const problems = [];
socket.onmessage = message => {
  const { id, result, method, params } = JSON.parse(message.data);
  if (id) waiting.get(id)(result);
  else if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded') problems.push(JSON.stringify(params));
};
let last = 0;
const call = (method, params = {}) => new Promise(resolve => {
  waiting.set(++last, resolve);
  socket.send(JSON.stringify({ id: last, method, params }));
});
const evaluate = async text =>
  (await call('Runtime.evaluate', { expression: text, returnByValue: true })).result.value;
const expect = async (what, text) => {
  for (let i = 0; i < 600; ++i) {
    if (await evaluate(text)) return console.log('ok:', what);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  console.log('failed:', what, '\n', await evaluate('document.body.innerText'), problems.join('\n'));
  process.exit(1);
};
const screenshot = async name =>
  writeFileSync(`${folder}/${name}`, Buffer.from((await call('Page.captureScreenshot')).data, 'base64'));
const $ = id => `document.getElementById('${id}')`;
const rows = "document.querySelectorAll('#rows tr')";
const choose = name =>
  evaluate(`[...document.querySelectorAll('#resources a')].find(a => a.textContent.startsWith('${name}')).click(); 0`);
const set = (id, value, event) => evaluate(`${$(id)}.value = '${value}'; ${$(id)}.${event}(); 0`);

for (const domain of ['Runtime', 'Log', 'Page']) await call(`${domain}.enable`);
await call('Emulation.setDeviceMetricsOverride', { width: 1100, height: 700, deviceScaleFactor: 1, mobile: false });
await expect('the cached resources are listed', "document.querySelectorAll('#resources a').length === 4");
await choose('pods');
await expect('a table has the objects', `${rows}.length === 2 && ${$('state')}.textContent === 'live'`);
const age = await evaluate("document.querySelector('#rows tr').children[5].textContent");
await expect('ages go on', `document.querySelector('#rows tr').children[5].textContent !== '${age}'`);
await evaluate("document.querySelector('#rows tr').click(); 0");
await expect('a click shows the YAML', `${$('yaml')}.textContent.startsWith('kind: Pod') && !${$('yaml')}.hidden`);
await screenshot('pods.png');
await set('labels', 'app=db', 'onchange');
await expect('labels filter', `${rows}.length === 1 && ${rows}[0].textContent.startsWith('webb')`);
await set('labels', '', 'onchange');
await set('namespace', 'none', 'onchange');
await expect('the namespace filters', `${rows}.length === 0 && ${$('state')}.textContent === 'live'`);
await set('namespace', 'web', 'onchange');
await expect('and shows its objects', `${rows}.length === 2`);
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'new' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const answer = await fetch(`${cluster}/api/v1/namespaces/web/pods`, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(pod) });
if (!answer.ok) throw new Error(await answer.text());
await expect('a new object appears', `${rows}.length === 3`);
await set('name', 'new', 'oninput');
await expect('a part of the name filters', `${rows}.length === 1`);
await fetch(`${cluster}/api/v1/namespaces/web/pods/new?gracePeriodSeconds=0`, { method: 'DELETE' });
await expect('a deleted object goes', `${rows}.length === 0`);
await set('name', '', 'oninput');
await choose('secrets');
await expect('another resource', `${$('title')}.textContent === 'secrets' && ${rows}.length === 1`);
await evaluate("document.querySelector('#rows tr').click(); 0");
await expect('values of secrets are hidden', `${$('yaml')}.textContent.includes('password: (hidden)')`);
await expect('and nowhere in the page', "!/hunter2|aHVudGVy/.test(document.documentElement.outerHTML)");
await screenshot('secret.png');
await choose('configmaps');
await expect('a long table says what it shows', `${$('state')}.textContent === 'live, 2000 of 2100 shown'`);
await expect('and is no longer', `${rows}.length === 2000`);
await set('name', 'c-2100', 'oninput');
await expect('of objects that are searched all', `${rows}.length === 1 && ${$('state')}.textContent === 'live'`);
await set('name', '', 'oninput');
await choose('clusterroles');
await expect('a name may be HTML', `${rows}.length === 1 && ${rows}[0].textContent.startsWith('<img src=x onerror=')`);
await evaluate("document.querySelector('#rows tr').click(); 0");
await expect('and so may annotations', `${$('yaml')}.textContent.includes('</pre><script>alert(2)')`);
await expect('which stay text', "!document.querySelector('img') && document.scripts.length === 1");
if (problems.length) {
  console.log('failed: the console has\n' + problems.join('\n'));
  process.exit(1);
}
await call('Page.navigate', { url: locked + '/' });
await expect('a server with tokens wants one', `!${$('login')}.hidden && document.querySelectorAll('#resources a').length === 0`);
const resources = "document.querySelectorAll('#resources a')";
const enter = text => evaluate(`${$('token')}.value = '${text}'; ${$('login')}.requestSubmit(); 0`);
await enter('wrong');
await expect('a wrong one is refused', `!${$('login')}.hidden && ${$('refused')}.textContent.includes('does not know')`);
await enter('right');
await expect('the right one shows the resources', `${$('login')}.hidden && ${resources}.length === 1`);
await choose('pods');
await expect('and their objects', `${rows}.length === 2 && ${$('state')}.textContent === 'live'`);
await call('Page.reload');
await expect('and after a reload', `${$('login')}.hidden && ${resources}.length === 1`);
process.exit(0);
