// Keeps one soljson.js loaded and compiles what it is sent. Run as `node -e … soljson.js`.
//
// Both ways, a message is eight fixed bytes, a kind, a length (32 bits, big-endian) and as many
// bytes. Whatever soljson.js prints by itself goes to standard error. To us: `C` compile this,
// `F` the file asked for, `N` why there is none. From us: `V` ready, this version; `R` read this
// file; `A` the answer; `E` what failed, after which we end.
'use strict';

const { Worker } = require('worker_threads');

// A thread of its own has a stack of any size; deep expressions need much of it.
const [soljson, imports] = process.argv.slice(1);
const worker = new Worker(`(${serve})()`, {
  eval: true,
  workerData: { soljson, imports },
  resourceLimits: { stackSizeMb: 128, maxOldGenerationSizeMb: 4096 },
});
worker.on('error', (error) => {
  require('fs').writeSync(2, `${(error && error.stack) || error}\n`);
  process.exit(1);
});
worker.on('exit', (code) => process.exit(code));

// Who started us may be killed without a word, and a compilation does not look up from its work.
const caller = process.ppid;
setInterval(() => { if (process.ppid !== caller) process.kill(process.pid, 'SIGKILL'); }, 500);

function serve() {
  const fs = require('fs');
  const { format } = require('util');
  const { workerData } = require('worker_threads');
  const MAGIC = Buffer.from('\0\xffCAIRN\0', 'latin1');

  const say = (...words) => { try { fs.writeSync(2, `${format(...words)}\n`); } catch { /* nobody listens */ } };
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace']) console[name] = say;
  process.stdout.write = (text) => { say(text); return true; };

  const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);

  // Fewer bytes than asked for are the end of the input.
  const read = (count) => {
    const bytes = Buffer.allocUnsafe(count);
    let have = 0;
    while (have < count) {
      try {
        const more = fs.readSync(0, bytes, have, count - have, null);
        if (more === 0) break;
        have += more;
      } catch (error) {
        if (error.code === 'EOF') break;
        if (error.code !== 'EAGAIN') throw error;
        pause();
      }
    }
    return have === count ? bytes : null;
  };
  const receive = () => {
    const head = read(13);
    const body = head && read(head.readUInt32BE(9));
    return body && { kind: String.fromCharCode(head[8]), body };
  };
  const write = (bytes) => {
    for (let at = 0; at < bytes.length;) {
      try {
        at += fs.writeSync(1, bytes, at, Math.min(bytes.length - at, 1 << 24));
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        pause();
      }
    }
  };
  const send = (kind, body) => {
    const head = Buffer.alloc(13);
    MAGIC.copy(head);
    head[8] = kind.charCodeAt(0);
    head.writeUInt32BE(body.length, 9);
    write(head);
    write(body);
  };
  const fail = (error) => {
    send('E', Buffer.from(String((error && error.message) || error)));
    process.exit(1);
  };

  const load = () => {
    const Module = module.constructor;
    const loaded = new Module(workerData.soljson);
    loaded.filename = workerData.soljson;
    loaded._compile(fs.readFileSync(workerData.soljson, 'utf8'), workerData.soljson);
    // It would turn every fault into its own.
    process.removeAllListeners('uncaughtException');
    process.removeAllListeners('unhandledRejection');
    return loaded.exports;
  };

  const start = () => {
    const solc = load();
    const alloc = solc.cwrap('solidity_alloc', 'number', ['number']);
    const reset = solc.cwrap('solidity_reset', null, []);
    const compile = solc.cwrap('solidity_compile', 'number', ['number', 'number', 'number']);
    const version = solc.cwrap('solidity_version', 'string', []);

    // The view of the memory is another one whenever the memory has grown.
    const put = (bytes) => {
      const at = alloc(bytes.length + 1) >>> 0;
      if (at === 0) throw new Error(`no memory for ${bytes.length} bytes`);
      solc.HEAPU8.set(bytes, at);
      solc.HEAPU8[at + bytes.length] = 0;
      return at;
    };
    const get = (at) => {
      const memory = solc.HEAPU8;
      return Buffer.from(memory.buffer, at >>> 0, memory.indexOf(0, at >>> 0) - (at >>> 0));
    };
    const setPointer = (at, value) => { new Uint32Array(solc.HEAPU8.buffer)[at >>> 2] = value; };

    const files = solc.addFunction((_context, kind, name, contents, error) => {
      if (get(kind).toString() !== 'source') {
        setPointer(error, put(Buffer.from('SMT solver callback not supported')));
        return;
      }
      send('R', get(name));
      const answer = receive();
      if (answer === null) process.exit(0);
      setPointer(answer.kind === 'F' ? contents : error, put(answer.body));
    }, 'viiiii');

    send('V', Buffer.from(version()));
    return (request) => {
      send('A', get(compile(put(request), workerData.imports === 'files' ? files : 0, 0)));
      reset();
    };
  };

  try {
    const compile = start();
    for (let message = receive(); message !== null; message = receive()) compile(message.body);
  } catch (error) {
    fail(error);
  }
}
