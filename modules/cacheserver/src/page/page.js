'use strict';
const $ = id => document.getElementById(id);
const element = (name, text = '') => {
  const out = document.createElement(name);
  out.textContent = text;
  return out;
};
const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };
const setAttribute = (node, name, value) => { if (node.getAttribute(name) !== value) node.setAttribute(name, value); };

const retry_after = 2000;  // ms
const spare = 10;          // rows above and below those that are visible
const max_events = 100;

let resources = [];   // what is cached
let resource = null;  // the one that is shown
let view = {};        // what the URL says
let table = null;     // the watch of the rows,
let events = null;    // and that of the events of the open object
let token = sessionStorage.getItem('token') || '';
let ahead = 0;        // the server's clock is so many ms ahead

// ---- The URL: what is shown is in its fragment, so that links and the browser's history have it.

const parts = ['resource', 'namespace', 'name', 'labels', 'object'];
const readUrl = () => {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(parts.map(part => [part, given.get(part) ?? '']));
};
const linkTo = wanted => {
  const set = new URLSearchParams(parts.filter(part => wanted[part]).map(part => [part, wanted[part]]));
  return '#' + set.toString().replaceAll('%2F', '/');
};

function go(changes, is_same_step) {
  history[is_same_step ? 'replaceState' : 'pushState'](null, '', linkTo({ ...view, ...changes }));
  restore();
}

// Shows what the URL says.
function restore() {
  const before = view;
  view = readUrl();
  const found = resources.filter(each => idOf(each) === view.resource);
  const next = found.find(each => each.namespace === view.namespace) ?? found.find(each => !each.namespace) ?? null;
  const is_same = table && resource === next && view.namespace === before.namespace && view.labels === before.labels;
  resource = next;
  for (const part of ['namespace', 'name', 'labels']) if ($(part).value !== view[part]) $(part).value = view[part];
  $('filters').hidden = !resource;
  if (!resource) return clear();
  $('namespace').disabled = !resource.namespaced || resource.namespace !== '';
  setText($('title'), resource.plural);
  document.title = `${view.object || resource.plural} - Cache`;
  if (!is_same) follow();
  else if (view.name !== before.name) table.rows.select(view.name.trim());
  if (!is_same || view.object !== before.object) showObject();
  showResources();
  redraw();
}

function clear() {
  table?.stop();
  events?.stop();
  table = events = null;
  $('details').hidden = true;
  setText($('title'), view.resource && resources.length ? `${view.resource} is not cached here` : 'Choose a resource');
  document.title = 'Cache';
  showResources();
  redraw();
}

// ---- What the server is asked for.

// As kubectl writes it: "deployments.v1.apps".
const idOf = each => [each.plural, each.version, each.group].filter(Boolean).join('.');
const pathOf = (each, namespace, name) => {
  const group = each.group ? `/apis/${each.group}/${each.version}` : `/api/${each.version}`;
  const scope = each.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return group + scope + '/' + each.plural + (name ? '/' + encodeURIComponent(name) : '');
};
// Returns namespace and name.
const splitKey = key => resource.namespaced ? [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)] : ['', key];

// Fetches with the token. A server that wants another one makes the form for it appear.
async function ask(target, options) {
  const sent = token;
  const answer = await fetch(target, { ...options, headers: sent ? { Authorization: 'Bearer ' + sent } : {} });
  if (answer.status === 401 && sent === token) {
    $('refused').textContent = sent ? 'the server does not know this token' : 'the server wants a token';
    $('login').hidden = false;
  }
  if (!answer.ok) throw new Error((await answer.json()).message);
  return answer;
}

// The rows of a table, and in their order those whose name has a part. What an event costs does not depend on how many there are.
class Rows {
  all = new Map();
  shown = [];
  columns = [];
  widths = [];  // in characters: a column is as wide when it is scrolled to its longest text
  moved = 0;    // rows added minus rows removed before the first that is visible

  constructor(has_namespaces, part) {
    this.has_namespaces = has_namespaces;
    this.part = part;
  }
  select(part) {
    this.part = part;
    this.shown = [...this.all.values()].filter(row => row.name.includes(part)).sort((a, b) => (a.key < b.key ? -1 : 1));
  }
  // Returns the index of the first row shown whose key is not less.
  indexOf(key) {
    let low = 0, high = this.shown.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.shown[middle].key < key) low = middle + 1; else high = middle;
    }
    return low;
  }
  take(event) {
    if (event.columns) this.columns = this.has_namespaces ? ['Namespace', ...event.columns] : event.columns;
    if (!event.key) return;
    const at = this.indexOf(event.key), is_shown = this.shown[at]?.key === event.key;
    const is_before = at < first_visible + this.moved;
    if (event.type === 'DELETED') {
      this.all.delete(event.key);
      if (is_shown) this.shown.splice(at, 1);
      if (is_shown && is_before) --this.moved;
      return;
    }
    const row = { key: event.key, name: event.name, labels: event.labels };
    row.texts = event.cells.map(value => value === null ? '' : String(value));
    row.times = event.cells.map((_, index) => event.times[index] ? Date.parse(event.times[index]) : null);
    if (this.has_namespaces) {
      row.texts.unshift(event.namespace);
      row.times.unshift(null);
    }
    row.texts.forEach((text, index) => {
      this.widths[index] = Math.max(this.widths[index] ?? 0, row.times[index] === null ? Math.min(text.length, 60) : 7);
    });
    this.all.set(row.key, row);
    if (is_shown) this.shown[at] = row;
    else if (row.name.includes(this.part)) {
      this.shown.splice(at, 0, row);
      if (is_before) ++this.moved;
    }
  }
}

// Keeps rows up to date. When the stream ends, it asks again; the old rows stay until the new ones are whole.
class Watch {
  state = '';

  constructor(target, selectors, rows) {
    this.rows = rows;
    this.target = '/page/rows' + target + '?' + new URLSearchParams({
      watch: '1', sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true', ...selectors });
    if (!document.hidden) this.run(rows);
  }
  stop() {
    this.control?.abort();
  }
  async run(rows = new Rows(this.rows.has_namespaces, this.rows.part)) {
    this.control?.abort();
    const mine = this.control = new AbortController();
    this.say('loading');
    try {
      const answer = await ask(this.target, { signal: mine.signal });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ''; ;) {
        const { value, done } = await reader.read();
        if (done) throw new Error('ended');
        const lines = (rest + value).split('\n');
        rest = lines.pop();
        for (const line of lines) this.take(JSON.parse(line), rows);
        redraw();
      }
    } catch (error) {
      if (mine.signal.aborted) return;
      this.say(error.message);
      if ($('login').hidden) setTimeout(() => { if (!mine.signal.aborted) this.run(); }, retry_after);
    }
  }
  take(event, rows) {
    if (event.now) ahead = event.now - Date.now();
    if (event.type === 'ERROR') throw new Error(event.message);
    rows.take(event);
    if (event.type === 'SYNCED') {
      if (rows.part !== this.rows.part) rows.select(this.rows.part);
      this.rows = rows;
      this.say('live');
    }
    if (this === table && event.key && event.key === view.object && this.state === 'live') yaml_is_old = true;
  }
  say(text) {
    this.state = text;
    redraw();
  }
}

// ---- The list of resources.

async function refreshResources() {
  const knew = resources.length;
  try {
    const all = await (await ask('/page/resources')).json();
    // The one that is shown stays the same object.
    resources = all.map(each => {
      const known = resources.find(old => idOf(old) === idOf(each) && old.namespace === each.namespace);
      if (known && !each.problem) delete known.problem;
      return known ? Object.assign(known, each) : each;
    });
  } catch (error) {
    if (!resource) setText($('title'), $('login').hidden ? error.message : 'Locked');
    return;
  }
  if (knew !== resources.length || !resource) restore();
  else showResources();
}

// Changes the links where they are: one of them may have the focus.
function showResources() {
  const links = $('resources').children;
  while (links.length > resources.length) links[links.length - 1].remove();
  resources.forEach((each, index) => {
    if (!links[index]) {
      const link = element('a');
      link.append(element('span'), element('small'), element('small'));
      $('resources').append(link);
    }
    const [name, group, facts] = links[index].children;
    setText(name, each.plural);
    setText(group, each.group);
    const where = each.namespace ? ` in ${each.namespace}` : '';
    const age = each.age === undefined ? '' : `, ${each.age} s old`;
    setText(facts, each.problem || `${each.objects} ${each.objects === 1 ? 'object' : 'objects'}${where}${age}`);
    facts.className = each.problem ? 'bad' : '';
    group.hidden = !each.group;
    setAttribute(links[index], 'href', linkTo({ resource: idOf(each), namespace: each.namespace }));
    setAttribute(links[index], 'aria-current', String(each === resource));
  });
}

// ---- The table. Only the rows that are visible are in the document.

let lines = new Map();  // the drawn rows by their keys
let line_height = 28, first_drawn = 0, first_visible = 0;
let active = '';        // the key of the row that the keyboard is at
let is_drawing = false;

function follow() {
  table?.stop();
  const selectors = view.labels.trim() ? { labelSelector: view.labels.trim() } : {};
  table = new Watch(pathOf(resource, view.namespace.trim()), selectors, new Rows(resource.namespaced, view.name.trim()));
  active = '';
  first_drawn = first_visible = $('scroll').scrollTop = 0;
}

// Events come faster than a screen shows them.
function redraw() {
  if (is_drawing) return;
  is_drawing = true;
  requestAnimationFrame(() => { is_drawing = false; draw(); });
}

function draw() {
  const scroll = $('scroll'), rows = table?.rows ?? new Rows(false, '');
  const many = rows.shown.length, all = rows.all.size;
  setText($('state'), table?.state ?? '');
  $('state').className = table?.state ?? '';
  setText($('count'), table ? (many < all ? `${many} of ` : '') + (all === 1 ? '1 object' : `${all} objects`) : '');
  drawHead(rows);
  // What is read stays where it is when rows above come and go.
  if (rows.moved && scroll.scrollTop > 0) {
    $('above').style.height = `${(first_drawn + rows.moved) * line_height}px`;
    scroll.scrollTop += rows.moved * line_height;
  }
  rows.moved = 0;
  const top = Math.min(scroll.scrollTop, Math.max(0, many * line_height - scroll.clientHeight));
  first_visible = Math.floor(top / line_height);
  const first = first_drawn = Math.max(0, first_visible - spare);
  const last = Math.min(many, Math.ceil((top + scroll.clientHeight) / line_height) + spare);
  $('above').style.height = `${first * line_height}px`;
  $('below').style.height = `${(many - last) * line_height}px`;
  setAttribute($('table'), 'aria-rowcount', String(many + 1));
  const drawn = new Map(rows.shown.slice(first, last).map(row => [row.key, row]));
  const had_focus = $('rows').contains(document.activeElement);
  for (const [key, line] of lines) {
    if (drawn.has(key)) continue;
    line.remove();
    lines.delete(key);
  }
  let next = $('rows').firstChild, index = first;
  for (const [key, row] of drawn) {
    const line = lines.get(key) ?? element('tr');
    fill(line, row, row.texts.map((_, cell) => cell));
    setAttribute(line, 'aria-rowindex', String(++index + 1));
    setAttribute(line, 'aria-selected', String(key === view.object));
    lines.set(key, line);
    if (line === next) next = next.nextSibling;
    else $('rows').insertBefore(line, next);
  }
  // Not before: the browser lays out for the focus, and would scroll up where lines are missing.
  if (had_focus && !$('rows').contains(document.activeElement)) scroll.focus({ preventScroll: true });
  const entered = lines.get(active) ?? $('rows').firstChild;
  for (const line of lines.values()) setAttribute(line, 'tabindex', line === entered ? '0' : '-1');
  const measured = $('rows').firstChild?.getBoundingClientRect().height;
  if (measured && measured !== line_height) {
    line_height = measured;
    redraw();
  }
  drawEvents();
  showAges();
  if (yaml_is_old) showYaml();
}

function drawHead(rows) {
  const head = $('head');
  const drawn = [...head.children].map(cell => cell.textContent);
  if (JSON.stringify(drawn) !== JSON.stringify(rows.columns)) {
    head.replaceChildren(...rows.columns.map(column => element('th', column)));
    for (const cell of head.children) cell.scope = 'col';
  }
  rows.widths.forEach((width, index) => {
    if (head.children[index]) head.children[index].style.minWidth = `calc(${width}ch + 2em)`;
  });
}

// Makes a line show the cells of a row; what is the same stays, with the focus and what is selected of it.
function fill(line, row, cells) {
  if (line.row === row) return;
  line.row = row;
  while (line.children.length > cells.length) line.lastChild.remove();
  cells.forEach((cell, index) => {
    const node = line.children[index] ?? line.appendChild(element('td'));
    const time = row.times[cell], text = row.texts[cell];
    if (time === null) delete node.dataset.since; else node.dataset.since = time;
    setText(node, time === null ? text : since(time));
    node.title = text.length > 60 ? text : '';
  });
  line.title = Object.entries(row.labels).map(([key, value]) => `${key}=${value}`).join(', ');
}

// As kubectl writes the time since another.
function since(time) {
  const seconds = Math.trunc((Date.now() + ahead - time) / 1000);
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
  const two = (many, unit, rest, part) => many + unit + (rest ? rest + part : '');
  if (seconds < -1) return '<invalid>';
  if (seconds < 120) return Math.max(seconds, 0) + 's';
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return minutes + 'm';
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return hours + 'h';
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 730) return days + 'd';
  if (days < 2920) return two(Math.floor(days / 365), 'y', days % 365, 'd');
  return Math.floor(days / 365) + 'y';
}

function showAges() {
  for (const cell of document.querySelectorAll('[data-since]')) setText(cell, since(Number(cell.dataset.since)));
}

// ---- One object: its YAML, and its events when those are cached, too.

let yaml_is_old = false, takes_focus = false;

function open(key) {
  active = key;
  takes_focus = true;
  go({ object: key });
  reveal(table.rows.indexOf(key));
}

function close() {
  if (!view.object) return;
  active = view.object;
  go({ object: '' });
  moveTo(table.rows.indexOf(active));
}

function showObject() {
  events?.stop();
  events = null;
  $('details').hidden = !view.object;
  $('happened').hidden = true;
  if (!view.object) return;
  const [namespace, name] = splitKey(view.object);
  setText($('shown'), `${resource.kind} ${view.object}`);
  $('yaml').textContent = $('copied').textContent = '';
  $('yaml').scrollTop = 0;
  showYaml();
  const source = resources.find(each => each.plural === 'events' && !each.group && [namespace, ''].includes(each.namespace));
  if (!source || source === resource) return;
  const selector = `involvedObject.kind=${resource.kind},involvedObject.name=${name.replace(/[\\,=]/g, '\\$&')}`;
  events = new Watch(pathOf(source, namespace), { fieldSelector: selector }, new Rows(false, ''));
  $('happened').hidden = false;
}

async function showYaml() {
  yaml_is_old = false;
  const key = view.object, shown = resource;
  if (!key) return;
  let text, is_found = true;
  try {
    text = await (await ask('/page/object' + pathOf(shown, ...splitKey(key)))).text();
  } catch (error) {
    text = error.message;
    is_found = false;
  }
  if (view.object !== key || resource !== shown) return;
  setText($('yaml'), text);
  $('copy').disabled = !is_found;
  if (takes_focus) $('yaml').focus();
  takes_focus = false;
}

function drawEvents() {
  if (!events) return;
  const { rows } = events;
  const columns = ['Last Seen', 'Type', 'Reason', 'Message'].map(name => rows.columns.indexOf(name));
  const newest = [...rows.shown].sort((a, b) => b.times[columns[0]] - a.times[columns[0]]).slice(0, max_events);
  setText($('none'), events.state === 'live' ? 'None.' : events.state);
  $('none').hidden = newest.length > 0;
  $('events').parentNode.hidden = newest.length === 0;
  while ($('events').rows.length > newest.length) $('events').deleteRow(-1);
  newest.forEach((row, index) => {
    const line = $('events').rows[index] ?? $('events').insertRow();
    fill(line, row, columns);
    line.className = row.texts[columns[1]] === 'Normal' ? '' : 'bad';
  });
}

$('copy').onclick = async () => {
  try {
    await navigator.clipboard.writeText($('yaml').textContent);
    $('copied').textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren($('yaml'));
    $('copied').textContent = 'Selected; the browser lets only the keyboard copy it';
  }
};
$('close').onclick = close;

// ---- The keyboard: arrows, Enter, Escape, and / for the filter.

function reveal(index) {
  const scroll = $('scroll');
  const lowest = (index + 1) * line_height + $('head').offsetHeight - scroll.clientHeight;
  scroll.scrollTop = Math.max(lowest, Math.min(scroll.scrollTop, index * line_height));
}

// Puts the focus on the row at an index of those shown, or on the nearest.
function moveTo(index) {
  const rows = table.rows.shown;
  const at = Math.max(0, Math.min(rows.length - 1, index));
  if (!rows.length) return $('scroll').focus();
  active = rows[at].key;
  reveal(at);
  draw();
  lines.get(active)?.focus({ preventScroll: true });
}

document.onkeydown = event => {
  if (event.ctrlKey || event.altKey || event.metaKey || !table) return;
  const at = event.target, is_input = at.matches('input');
  const is_in_table = at === document.body || $('scroll').contains(at);
  const page = Math.max(1, Math.floor($('scroll').clientHeight / line_height) - 2);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  const here = table.rows.indexOf(active);
  if (event.key === '/' && !is_input) $('name').select();
  else if (event.key === 'Escape' && is_input) moveTo(here);
  else if (event.key === 'Escape' && view.object) close();
  else if (event.key in steps && is_in_table) moveTo(active ? here + steps[event.key] : steps[event.key] - 1);
  else if (event.key === 'ArrowDown' && at === $('name')) moveTo(here);
  else if (event.key === 'Enter' && at.row) open(at.row.key);
  else return;
  event.preventDefault();
};
$('rows').addEventListener('focusin', event => { active = event.target.row.key; });
$('rows').onclick = event => {
  const line = event.target.closest('tr');
  if (getSelection().isCollapsed) open(line.row.key);
};
$('scroll').onscroll = redraw;
onresize = redraw;

// ---- The forms, and what goes on by itself.

$('login').onsubmit = event => {
  event.preventDefault();
  token = $('token').value.trim();
  sessionStorage.setItem('token', token);
  $('token').value = '';
  $('login').hidden = true;
  refreshResources();
  table?.run();
  events?.run();
  if (view.object) showYaml();
};

let is_typing = false;  // one step of the history for a word, not for each letter
$('filters').onsubmit = event => event.preventDefault();
$('name').oninput = () => { go({ name: $('name').value }, is_typing); is_typing = true; };
$('name').onchange = () => { is_typing = false; };
for (const part of ['namespace', 'labels']) $(part).onchange = () => go({ [part]: $(part).value.trim() });
onhashchange = () => { is_typing = false; restore(); };
// A browser has few connections to a server, for all of its tabs.
document.onvisibilitychange = () => {
  for (const watch of [table, events]) document.hidden ? watch?.stop() : watch?.run();
};
view = readUrl();
refreshResources();
setInterval(() => { if ($('login').hidden && !document.hidden) refreshResources(); }, 5000);
setInterval(showAges, 1000);
