// Drives the page by Chromium's DevTools protocol, with keys and clicks as a person's, and looks at what the browser computes:
// page.mjs DEVTOOLS CACHE CLUSTER FOLDER CACHE_WITH_TOKEN
import { writeFileSync } from 'node:fs';
const [devtools, cache, cluster, folder, locked] = process.argv.slice(2);

// ---- The browser.

const tab = await (await fetch(`${devtools}/json/new?${encodeURIComponent(cache + '/')}`, { method: 'PUT' })).json();
const socket = new WebSocket(tab.webSocketDebuggerUrl);
await new Promise(resolve => { socket.onopen = resolve; });
const waiting = new Map();
const problems = [];
socket.onmessage = message => {
  const { id, result, error, method, params } = JSON.parse(message.data);
  if (error) fail(error.message);
  if (id) waiting.get(id)(result);
  else if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded') problems.push(JSON.stringify(params));
};
let last = 0;
const call = (method, params = {}) => new Promise(resolve => {
  waiting.set(++last, resolve);
  socket.send(JSON.stringify({ id: last, method, params }));
});
const evaluate = async text => {
  const { result, exceptionDetails } = await call('Runtime.evaluate', { expression: text, returnByValue: true, awaitPromise: true });
  return exceptionDetails ? undefined : result.value;
};
function fail(...what) {
  console.log('failed:', ...what);
  process.exit(1);
}
const check = (what, is_so, ...facts) => {
  if (!is_so) fail(what, ...facts);
  console.log('ok:', what);
};
const pause = () => new Promise(resolve => setTimeout(resolve, 50));
// Waits until what is said holds.
const expect = async (what, text, fact = '0') => {
  for (const end = Date.now() + 120000; Date.now() < end; await pause()) {
    if (typeof text === 'function' ? await text() : await evaluate(text)) return console.log('ok:', what);
  }
  fail(what, '\n', await evaluate(fact), await evaluate('document.body.innerText'), problems.join('\n'));
};
const screenshot = async name => {
  await evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
  writeFileSync(`${folder}/${name}.png`, Buffer.from((await call('Page.captureScreenshot')).data, 'base64'));
};
const size = (width, height) =>
  call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
const scheme = value => call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });

const codes = { Enter: 13, Escape: 27, Tab: 9, Home: 36, End: 35, ArrowUp: 38, ArrowDown: 40, PageUp: 33, PageDown: 34 };
const press = async (key, shift = false) => {
  const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
  const event = { key, code: key, text, windowsVirtualKeyCode: codes[key], modifiers: shift ? 8 : 0 };
  await call('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...event });
  await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event, text: undefined });
};
const click = async node => {
  const { x, y } = await evaluate(`(() => {
    ${node}.scrollIntoView({ block: 'nearest' });
    const box = ${node}.getBoundingClientRect();
    return { x: box.x + Math.min(box.width / 2, 40), y: box.y + box.height / 2 };
  })()`);
  for (const type of ['mousePressed', 'mouseReleased']) {
    await call('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }
};
// Replaces what an input has, as a person does who types.
const type = async (id, text, key = 'Enter') => {
  await evaluate(`${$(id)}.select(); 0`);
  await call('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Delete', windowsVirtualKeyCode: 46 });
  for (const letter of text) await call('Input.insertText', { text: letter });
  if (key) await press(key);
};

// ---- The page.

const $ = id => `document.getElementById('${id}')`;
const rows = "document.querySelectorAll('#rows tr')";
const links = "document.querySelectorAll('#resources a')";
const is_live = `${$('state')}.textContent === 'live'`;
const is_visible = id => `${$(id)}.checkVisibility()`;
const has_focus = node => `document.activeElement === ${node}`;
const choose = name => click(`[...${links}].find(link => link.firstChild.textContent === '${name}')`);

// ---- The cluster.

const send = async (method, path, body, type = 'application/json') => {
  const answer = await fetch(cluster + path, { method, headers: { 'Content-Type': type }, body: body && JSON.stringify(body) });
  if (!answer.ok) fail(await answer.text());
};
const pods = '/api/v1/namespaces/web/pods', maps = '/api/v1/namespaces/web/configmaps';
const label = (path, labels) => send('PATCH', path, { metadata: { labels } }, 'application/merge-patch+json');
const watchers = async () => /^kube_cacheserver_watchers (\d+)$/m.exec(await (await fetch(`${cache}/metrics`)).text())[1];

for (const domain of ['Runtime', 'Log', 'Page', 'Accessibility', 'Profiler']) await call(`${domain}.enable`);
await call('Emulation.setFocusEmulationEnabled', { enabled: true });
await call('Browser.grantPermissions', { origin: cache, permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
await size(1200, 760);
await scheme('light');

// ---- What is cached, and a table of it.

await expect('the cached resources are listed', `${links}.length === 5`);
await expect('with how many they have', `${links}[0].innerText.includes('32 objects')`);
check('what is not wanted is not visible',
  !(await evaluate(`${is_visible('login')} || ${is_visible('filters')} || ${is_visible('details')}`)));
await choose('pods');
await expect('a table has the objects', `${rows}.length === 32 && ${is_live}`);
check('and filters, but no form for a token', await evaluate(`${is_visible('filters')} && !${is_visible('login')}`));
const age = `${rows}[0].children[5].textContent`;
const was = await evaluate(age);
await expect('ages go on', `${age} !== '${was}'`);

// ---- Filters, and the URL.

await type('labels', 'app=db');
await expect('labels filter', `${rows}.length === 1 && ${rows}[0].innerText.startsWith('web\\tb')`);
await type('labels', '');
await expect('until they are gone', `${rows}.length === 32`);
await type('namespace', 'none');
await expect('the namespace filters', `${rows}.length === 0 && ${is_live}`);
await type('namespace', 'web');
await expect('and shows its objects', `${rows}.length === 2`);
await send('POST', pods,
  { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'new' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
await expect('a new object appears', `${rows}.length === 3`);
await type('name', 'new', '');
await expect('a part of the name filters', `${rows}.length === 1`);
check('and the count says so', await evaluate(`${$('count')}.textContent === '1 of 3 objects'`));
check('the URL has it', (await evaluate('location.hash')) === '#resource=pods.v1&namespace=web&name=new');
await send('DELETE', `${pods}/new?gracePeriodSeconds=0`);
await expect('a deleted object goes', `${rows}.length === 0`);
await evaluate('history.back(); 0');
await expect('back is before the word, not before its last letter',
  `${rows}.length === 2 && ${$('name')}.value === '' && ${$('namespace')}.value === 'web'`);
await evaluate('history.back(); 0');
await expect('and then the namespace before', `${rows}.length === 0 && ${$('namespace')}.value === 'none' && ${is_live}`);
await evaluate('history.go(2); 0');
await expect('forward is as it was', `${$('name')}.value === 'new' && ${$('namespace')}.value === 'web'`);
const link = `${cache}/#resource=pods.v1&namespace=web&name=b&labels=app%3Ddb&object=web/b`;
await call('Page.navigate', { url: 'about:blank' });
// Counts the blocks of the script that is loaded now.
await call('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
await call('Page.navigate', { url: link });
await expect('a link restores the table', `${rows}.length === 1 && ${is_live} && ${$('labels')}.value === 'app=db'`);
await expect('and the object', `${is_visible('details')} && ${$('yaml')}.textContent.includes('name: b')`);
check('the URL stays', (await evaluate('location.href')) === link);

// ---- An object, its events, and the keyboard.

await choose('pods');
await expect('a link to a resource has no filter', `${rows}.length === 32 && !${is_visible('details')}`);
const row_of = name => `[...${rows}].find(row => row.children[1].textContent === '${name}')`;
await click(row_of('a'));
await expect('a click shows the YAML', `${$('yaml')}.textContent.startsWith('kind: Pod') && ${is_visible('yaml')}`);
await expect('which has the focus', has_focus($('yaml')));
await expect('and the events, the newest first',
  `[...${$('events')}.rows].map(row => row.children[2].textContent).join() === 'Pulled,Scheduled'`);
check('beside it', await evaluate(`(() => {
  const yaml = ${$('yaml')}.getBoundingClientRect(), events = ${$('happened')}.getBoundingClientRect();
  return events.width > 200 && yaml.width > 200 && events.left >= yaml.right && events.top === yaml.top;
})()`));
await screenshot('object');
const seen = `${$('events')}.rows[0].firstChild.textContent`;
const seen_before = await evaluate(seen);
await expect('whose ages go on', `${seen} !== '${seen_before}'`);
await send('POST', '/api/v1/namespaces/web/events', {
  apiVersion: 'v1', kind: 'Event', metadata: { name: 'a.3' }, type: 'Warning', reason: 'BackOff', message: 'Back-off',
  involvedObject: { kind: 'Pod', namespace: 'web', name: 'a' }, lastTimestamp: new Date().toISOString().replace(/\..*/, 'Z') });
await expect('and new ones come', `${$('events')}.rows[0].children[2].textContent === 'BackOff'`);
await label(`${pods}/a`, { touched: 'yes' });
await expect('the YAML follows the object', `${$('yaml')}.textContent.includes('touched:')`);
await click($('copy'));
await expect('the button copies it', `${$('copied')}.textContent === 'Copied'`);
check('all of it', await evaluate(`navigator.clipboard.readText().then(text => text === ${$('yaml')}.textContent)`));
await press('Escape');
check('Escape closes', !(await evaluate(is_visible('details'))));
check('and the row has the focus', (await evaluate(has_focus(row_of('a')))));
await press('ArrowDown');
check('arrows move it', await evaluate(has_focus(row_of('b'))));
const outline = await evaluate('getComputedStyle(document.activeElement).outline');
check('which is to be seen', / solid 2px$/.test(outline), outline);
await press('Enter');
await expect('Enter opens', `${$('yaml')}.textContent.includes('name: b')`);
check('without events', await evaluate(`${$('events')}.rows.length === 0 && ${is_visible('happened')}`));
await evaluate('history.back(); 0');
await expect('back closes', `!${is_visible('details')}`);
await press('/');
check('/ goes to the filter', await evaluate(`${has_focus($('name'))} && ${$('name')}.value === ''`));
await call('Input.insertText', { text: 'b' });
await press('/');
check('where it is a letter', await evaluate(`${$('name')}.value === 'b/'`));
await type('name', '', '');
await expect('all again', `${rows}.length === 32`);
await press('ArrowDown');
await press('Home');
check('Home is the first row', await evaluate(has_focus(`${rows}[0]`)));
await press('End');
check('End the last', await evaluate(has_focus(`${rows}[31]`)));
await press('PageUp');
check('PageUp one between', await evaluate(`![-1, 0, 30, 31].includes([...${rows}].indexOf(document.activeElement))`));
await press('Tab', true);
check('Tab leaves the table at once', await evaluate(has_focus($('labels'))));
await press('Tab');
check('and comes back to its row', await evaluate(`[...${rows}].includes(document.activeElement)`));

// ---- What a screen reader is told.

await choose('pods');
await click(row_of('a'));
await expect('an object is open', is_visible('happened'));
const told = (await call('Accessibility.getFullAXTree')).nodes
  .filter(node => !node.ignored).map(node => `${node.role?.value} ${node.name?.value ?? ''}`.trim());
// A status has no name of its own; its text is read when it changes.
for (const name of ['navigation Cached resources', 'textbox Namespace', 'textbox Name', 'textbox Labels', 'grid pods',
  'columnheader Status', 'button Copy YAML', 'button Close', 'region YAML', 'region Events', 'region Pod web/a', 'status']) {
  check(`a screen reader is told: ${name}`, told.includes(name), told.join('\n'));
}

// ---- Light, dark, narrow.

// The lowest contrast of a text that is visible, as WCAG defines it, and how light the ground is.
const colours = `(() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = rgb => rgb.slice(0, 3).map(value => value / 255)
    .map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [.2126, .7152, .0722][index], 0);
  const ground = node => {
    for (; node; node = node.parentElement) {
      const colour = parts(getComputedStyle(node).backgroundColor);
      if (colour.length === 3) return light(colour);
    }
    return NaN;
  };
  let least = { contrast: 21 };
  for (const node of document.querySelectorAll('body *')) {
    const text = [...node.childNodes].filter(each => each.nodeType === 3).map(each => each.data.trim()).join('');
    if (!text || !node.checkVisibility()) continue;
    const [low, high] = [light(parts(getComputedStyle(node).color)), ground(node)].sort((a, b) => a - b);
    const contrast = (high + .05) / (low + .05);
    if (!(contrast >= least.contrast)) least = { contrast, text };
  }
  return { ...least, ground: ground(document.body) };
})()`;
for (const name of ['light', 'dark']) {
  await scheme(name);
  const { contrast, text, ground } = await evaluate(colours);
  check(`the page is ${name}`, name === 'dark' ? ground < 0.05 : ground > 0.9, ground);
  check('and all of it can be read', contrast >= 4.5, contrast, text);
  await screenshot(name);
}
await size(400, 740);
check('a narrow page shows the object alone', await evaluate(`${$('details')}.getBoundingClientRect().height === innerHeight`));
await screenshot('narrow_object');
await press('Escape');
await expect('and the table', `!${is_visible('details')} && document.documentElement.scrollWidth === innerWidth`);
check('in which rows are visible', await evaluate(`${$('scroll')}.clientHeight > 300`));
await screenshot('narrow');
await scheme('light');
await size(1200, 760);

// ---- 10,000 objects.

await choose('configmaps');
await expect('10,000 objects come', `${$('count')}.textContent === '10000 objects' && ${is_live}`);
const are_few = `document.querySelectorAll('#table *').length < 600`;
check('of which few are in the document', await evaluate(`${rows}.length > 10 && ${are_few}`));
await screenshot('many');
await evaluate(`${$('scroll')}.scrollTop = ${$('scroll')}.scrollHeight / 2; 0`);
await expect('as in the middle', `${rows}[0].ariaRowIndex > 4000 && ${rows}[0].ariaRowIndex < 6000 && ${are_few}`);
const visible = `[...${rows}].filter(row => row.getBoundingClientRect().top > 300)[0]`;
const place = `${visible}.children[1].textContent + ' ' + ${visible}.getBoundingClientRect().top`;
const before = await evaluate(place);
const name = before.split(' ')[0];
await evaluate(`window.changes = []; new MutationObserver(all => {
  for (const { target, addedNodes, removedNodes } of all) {
    if (target.id === 'rows') changes.push(addedNodes.length + removedNodes.length);
  }
}).observe(${$('rows')}, { childList: true }); 0`);
await call('Profiler.takePreciseCoverage');  // what ran before
for (let number = 0; number < 5; ++number) await label(`${maps}/c-1`, { touched: `n${number}` });
await label(`${maps}/${name}`, { touched: 'yes' });
await expect('changes come', `${visible}.title === 'touched=yes'`);
const { result: covered } = await call('Profiler.takePreciseCoverage');
const counts = covered.filter(({ url }) => url.startsWith(cache)).flatMap(({ functions }) => functions)
  .flatMap(({ functionName, ranges }) => ranges.map(({ count }) => ({ count, functionName })));
const most = counts.reduce((a, b) => (a.count > b.count ? a : b), { count: 0 });
check('no line of the script runs for all of them', most.count > 0 && most.count < 10000, JSON.stringify(most));
check('nor is a row drawn again', (await evaluate('changes.length')) === 0);
await send('DELETE', `${maps}/c-1`);
await expect('one above goes', `${$('count')}.textContent === '9999 objects'`);
await expect('what is read stays where it is', `${place} === '${before}'`, `'${before}, now ' + ${place}`);
await click(visible);
await expect('any of them opens', `${$('yaml')}.textContent.includes('name: ${name}')`);
await press('Escape');
await press('End');
await expect('the keyboard reaches the last', `document.activeElement.ariaRowIndex === '10000' && ${are_few}`);
await evaluate(`${$('scroll')}.scrollTop = 0; 0`);
await expect('the focus stays in the table', has_focus($('scroll')));
await press('ArrowUp');
await expect('at its place', `document.activeElement.ariaRowIndex === '9999' && ${are_few}`);
await type('name', 'c-1000', '');
await expect('a filter finds two of them', `${rows}.length === 2 && ${$('count')}.textContent === '2 of 9999 objects'`);

// ---- A tab that is not looked at.

const look = hidden => evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
  document.dispatchEvent(new Event('visibilitychange')); 0`);
await expect('a table is one watch', async () => (await watchers()) === '1');
await look(true);
await expect('a tab that is not visible has none', async () => (await watchers()) === '0');
await send('DELETE', `${maps}/c-1000`);
await look(false);
await expect('then it is as the cluster', `${rows}.length === 1 && ${is_live}`);

// ---- Text of others.

await choose('secrets');
await expect('another resource', `${$('title')}.textContent === 'secrets' && ${row_of('s')} && ${rows}.length === 1`);
await click(row_of('s'));
await expect('values of secrets are hidden', `${$('yaml')}.textContent.includes('password: (hidden)')`);
check('and nowhere in the page', await evaluate('!/hunter2|aHVudGVy/.test(document.documentElement.outerHTML)'));
await screenshot('secret');
await choose('clusterroles');
await expect('a name may be HTML', `${rows}.length === 1 && ${rows}[0].textContent.startsWith('<img src=x onerror=')`);
await click(`${rows}[0]`);
await expect('and so may annotations', `${$('yaml')}.textContent.includes('</pre><script>alert(2)')`);
await expect('a selector has such a name', `${is_visible('none')} && ${$('none')}.textContent === 'None.'`);
check('which stay text', await evaluate("!document.querySelector('img') && document.scripts.length === 1"));
check('the console is empty', problems.length === 0, problems.join('\n'));
// What a text of others would do if it came to be a part of the page.
const refused = await evaluate(`(async () => {
  const refused = [];
  document.addEventListener('securitypolicyviolation', event => refused.push(event.effectiveDirective));
  const add = (name, fields) => document.body.append(Object.assign(document.createElement(name), fields));
  add('script', { textContent: 'window.ran = 1' });
  add('script', { src: '/page/resources' });
  add('style', { textContent: 'body { display: none }' });
  add('div', { innerHTML: '<p style="position: fixed" onclick="window.ran = 2">' });
  document.querySelector('div > p').click();
  await new Promise(done => setTimeout(done, 300));
  return [window.ran, getComputedStyle(document.body).display, ...refused.sort()].join();
})()`);
check('a browser runs and shows no more than the page itself',
  refused === ',grid,script-src-attr,script-src-elem,script-src-elem,style-src-attr,style-src-elem', refused);

// ---- Tokens.

await call('Page.navigate', { url: locked + '/' });
await expect('a server with tokens wants one', `${is_visible('login')} && ${links}.length === 0`);
await screenshot('token');
await type('token', 'wrong');
await expect('a wrong one is refused', `${is_visible('login')} && ${$('refused')}.textContent.includes('does not know')`);
await type('token', 'right');
await expect('the right one shows the resources', `!${is_visible('login')} && ${links}.length === 1`);
await choose('pods');
await expect('and their objects', `${rows}.length === 32 && ${is_live}`);
await click(row_of('a'));
await expect('whose events are not shown where they are not cached',
  `${$('yaml')}.textContent.startsWith('kind: Pod') && !${is_visible('happened')}`);
await call('Page.reload');
await expect('and after a reload',
  `!${is_visible('login')} && ${links}.length === 1 && ${rows}.length > 10 && ${$('yaml')}.textContent.includes('name: a')`);
process.exit(0);
