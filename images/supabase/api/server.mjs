// The HTTP half of the embedded Supabase: @supabase/lite served on port 54321, against our PostgreSQL.
//
// lite's own command line would do for a laptop. It is embedded here instead, because a fleet that runs for
// months needs a few things from it: keys from files, a login that is no superuser, answers that a client can
// tell "try again" from "never" by, new functions seen without a restart, and files that are replaced whole.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { App, setExperimental } from '@supabase/lite'
import { createPostgresConnection } from '@supabase/lite/postgres'
import { FileStore } from './files.mjs'
import { asHosted, errorsOf, types, unavailable, withErrors } from './hosted.mjs'
import { Pool, Session } from './pool.mjs'

const PORT = 54321
const POOL = 10 // sessions on PostgreSQL; requests beyond that wait in line
const LOOK_EVERY = 2_000 // ms between two looks at the database: is it there, has its schema changed
const LARGEST_BODY = 10 * 2 ** 20 // 50,000 odds; PostgreSQL takes some twenty times that while it works on them
const IN_HAND = LARGEST_BODY // bytes of request bodies worked on at once, by the API and by PostgreSQL
const ANSWER_WITHIN = 20_000 // ms; PostgreSQL itself ends a statement after 8 s

const log = (...words) => process.stdout.write(`${new Date().toISOString()} ${words.join(' ')}\n`)
const oneLine = (error) => String(error?.message || error?.code || error).replace(/\s+/g, ' ').slice(0, 300)

function secret(name, prefix) {
  try {
    const value = readFileSync(`/run/secrets/${name}`, 'utf8').trim()
    if (value.startsWith(prefix)) return value
    log(`/run/secrets/${name} must hold a key that starts with ${prefix}`)
  } catch (error) {
    log(`/run/secrets/${name} cannot be read: ${error.code}`)
  }
  process.exit(78)
}

const keys = { anon: secret('supabase_anon_key', 'sb_publishable_'), service: secret('supabase_key', 'sb_secret_') }
const derived = (purpose) => createHmac('sha256', keys.service).update(purpose).digest('hex') // migrate.sh does the same

setExperimental('storage', true)
const files = new FileStore('/var/lib/storage')

const database = {
  host: process.env.DB_HOST || 'db',
  port: 5432,
  database: 'postgres',
  user: 'authenticator',
  password: derived('authenticator'),
  connect_timeout: 5,
  idle_timeout: 60,
  connection: { application_name: 'supabase-api', TimeZone: 'UTC' },
  types,
  onnotice() {},
}

function connect() {
  const sessions = new Pool(database, POOL)
  const connection = createPostgresConnection({ url: '' }) // whose own pool is never used
  connection.kysely = sessions.kysely
  // Left alone, lite grants everything in a schema to anon at the first request that meets row-level security, and
  // so undoes the REVOKEs of our migrations. It skips that once it believes the work done.
  connection.rlsState = 'active'
  connection.normalizeDbError = errorsOf
  const app = new App({
    connection,
    api: { schemas: ['public'], max_rows: 1000 },
    // The default of jwt_secret is public knowledge: whoever knows it may sign a token for any role.
    auth: { enabled: false, publishable_key: keys.anon, secret_key: keys.service, jwt_secret: derived('jwt') },
    storage: { enabled: true, file_size_limit: '50MiB' },
    studio: { enabled: false },
    db: { migrations: { enabled: false } },
    options: { server: { admin: false, disableStudio: true } },
  })
  app._storageAdapter = files
  return { app, connection, sessions }
}

// What the API knows of the schema, in one value. Anything that changes it makes lite read the schema again.
const FINGERPRINT = `
  select md5(concat(
    (select string_agg(concat(oid, ':', xmin, ':', proacl), ',' order by oid) from pg_proc where pronamespace = 'public'::regnamespace),
    (select string_agg(concat(c.oid, ':', c.relname, ':', c.relkind, ':', c.relacl, ':', a.sum), ',' order by c.oid)
       from pg_class c
       join lateral (select sum(a.xmin::text::bigint) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0) a on true
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p', 'f')),
    (select string_agg(concat(oid, ':', xmin), ',' order by oid) from pg_constraint where connamespace = 'public'::regnamespace)
  )) as is`

let pool = connect()
let known = null // the fingerprint that `pool` has read; null before the first
let failures = 0

const within = (ms, promise, what) =>
  Promise.race([promise, new Promise((_, fail) => setTimeout(() => fail(new Error(what)), ms).unref())])

let looking = null
const look = () => (looking ??= lookOnce().finally(() => (looking = null)))
let watch = new Session(database) // one of its own, so that it never waits behind requests

async function lookOnce() {
  try {
    if (watch.broken) watch = new Session(database)
    const [{ is }] = (await within(5_000, watch.executeQuery({ sql: FINGERPRINT }), 'no answer in 5 s')).rows
    if (failures) log('PostgreSQL is back')
    failures = 0
    if (is === known) return
    const next = known === null ? pool : connect()
    await next.app.init()
    const schema = await within(15_000, next.connection.introspect({ useCache: true }), 'reading the schema took over 15 s')
    if (!schema.functions) throw new Error('the schema could not be read')
    if (next !== pool) pool.sessions.close()
    pool = next
    known = is
    const count = (list) => list.filter((item) => item.schema === 'public').length
    log(`schema read: ${count(schema.tables)} tables, ${count(schema.views)} views, ${count(schema.functions)} functions`)
  } catch (error) {
    watch.close()
    if (failures++ === 0) log('PostgreSQL does not answer:', oneLine(error))
  }
}

const TOO_LARGE = Symbol('too large')
const FOUND_NOTHING = new Set(['PGRST202', 'PGRST204', 'PGRST205'])

async function answer(request, path) {
  if (path === '/health') {
    const ok = known !== null && failures === 0
    return Response.json({ ok }, { status: ok ? 200 : 503 })
  }
  if (!path.startsWith('/rest/v1/') && !path.startsWith('/storage/v1/')) return Response.json({ message: 'not found' }, { status: 404 })
  if (known === null) return unavailable('PGRST002', 'Could not query the database for the schema cache. Retrying.')
  return withErrors(async () => {
    const key = request.headers.get('apikey') ?? new URL(request.url).searchParams.get('apikey')
    const keyed = key === keys.anon || key === keys.service // without a key, lite says 401 and reads no body
    if (path.startsWith('/storage/') || !keyed) return asHosted(request, keys, await pool.app.fetch(request, { peerAddress: null }))
    const leave = await enter(request)
    try {
      return await answerRest(request)
    } finally {
      leave()
    }
  })
}

async function answerRest(request) {
  const body = await bodyOf(request)
  if (body === TOO_LARGE) return Response.json({ code: '413', details: null, hint: null, message: 'request body over 10 MiB' }, { status: 413 })
  const ask = async () => {
    const asked = new Request(request.url, { method: request.method, headers: request.headers, body })
    return asHosted(asked, keys, await pool.app.fetch(asked, { peerAddress: null }))
  }
  const response = await ask()
  if (response.status !== 404 || !FOUND_NOTHING.has((await response.clone().json().catch(() => ({}))).code)) return response
  const before = pool
  await look() // perhaps a migration has just made it
  return pool === before ? response : ask()
}

// Twenty scrapers may write at the same second. Large bodies go in one after the other, small ones pass at once.
let inHand = 0
const line = []

async function enter(request) {
  const size = request.body ? Number(request.headers.get('content-length') ?? LARGEST_BODY) : 0
  if (size < 65_536 || size > LARGEST_BODY) return () => {}
  if (inHand > 0 && inHand + size > IN_HAND) await new Promise((go) => line.push({ size, go }))
  else inHand += size
  return () => {
    inHand -= size
    while (line.length && (inHand === 0 || inHand + line[0].size <= IN_HAND)) {
      inHand += line[0].size
      line.shift().go()
    }
  }
}

async function bodyOf(request) {
  if (!request.body || Number(request.headers.get('content-length')) > LARGEST_BODY) return request.body && TOO_LARGE
  const chunks = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.length
    if (size > LARGEST_BODY) return TOO_LARGE
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const server = serve({
  port: PORT,
  hostname: '0.0.0.0',
  async fetch(request) {
    const path = new URL(request.url).pathname
    const started = performance.now()
    let response
    try {
      response = await within(ANSWER_WITHIN, answer(request, path), 'timeout')
    } catch (error) {
      response = unavailable('PGRST003', `No answer in time: ${oneLine(error)}`, 504)
    }
    if (response.status >= 400 && path !== '/health') {
      const said = await response.clone().json().catch(() => ({}))
      log(request.method, path, response.status, said.code ?? said.error ?? '', oneLine(said.message ?? ''), `${Math.round(performance.now() - started)} ms`)
    }
    return response
  },
})

// lite prints every database error with its stack; the line above says the same in one.
console.error = (...words) => {
  if (words.some((word) => word instanceof Error && word.code)) return
  log(...words.map((word) => (word instanceof Error ? word.stack : String(word))))
}
console.warn = () => {}
process.on('unhandledRejection', (error) => log('unhandled:', oneLine(error)))

log(`listening on port ${PORT}, waiting for PostgreSQL`)
let timer
async function keepLooking() {
  await look()
  timer = setTimeout(keepLooking, known === null ? 300 : LOOK_EVERY)
}
keepLooking()

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    log(`${signal}: finishing the requests in hand`)
    clearTimeout(timer)
    setTimeout(() => process.exit(0), 9_000).unref()
    server.close(() => {
      process.exit(0)
    })
    server.closeIdleConnections?.()
  })
}
