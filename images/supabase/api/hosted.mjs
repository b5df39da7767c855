// Where @supabase/lite 0.10 answers otherwise than the hosted service, this makes it answer alike, so that a
// client written against one works with the other. Error table: docs.postgrest.org, "Errors".
import { AsyncLocalStorage } from 'node:async_hooks'
import { isLost } from './pool.mjs'

const request = new AsyncLocalStorage()

export const withErrors = (work) => request.run({ error: null }, work)

/** lite passes every database error through this hook; remember it for the answer. */
export function errorsOf(error) {
  const here = request.getStore()
  if (here) here.error = error
  return error
}

export function unavailable(code, message, status = 503) {
  return Response.json({ code, details: null, hint: null, message }, { status, headers: { 'Retry-After': '1' } })
}

function statusOf(code, anonymous) {
  if (code === '42501') return anonymous ? 401 : 403
  if (/^57P0[1-4]$/.test(code)) return 503
  if (code === '23503' || code === '23505') return 409
  if (code === '25006') return 405
  if (code === '42883' || code === '42P01') return 404
  if (code === '42P17' || code === '53400') return 500
  if (code === 'P0001') return 400
  const kind = code.slice(0, 2)
  if (kind === '08' || kind === '53') return 503
  if (kind === '0L' || kind === '0P' || kind === '28') return 403
  if (['09', '25', '2D', '38', '39', '3B', '40', '54', '55', '57', '58', 'F0', 'HV', 'P0', 'XX'].includes(kind)) return 500
  return 400
}

/** The answer of lite, corrected. */
export async function asHosted(asked, keys, response) {
  const path = new URL(asked.url).pathname
  const error = request.getStore()?.error
  request.getStore().error = null
  if (error && response.status >= 400) {
    if (isLost(error)) return unavailable('PGRST001', `Database connection error. Retrying the connection. (${error.code})`)
    if (error.name === 'PostgresError' && path.startsWith('/rest/') && !/^(PT...|PGRST)$/.test(error.code)) {
      const status = statusOf(error.code, asked.headers.get('apikey') === keys.anon)
      const said = { code: error.code, details: error.detail ?? null, hint: error.hint ?? null, message: error.message }
      return Response.json(said, { status, headers: { 'Access-Control-Allow-Origin': '*' } })
    }
  }
  if (path.startsWith('/storage/') && response.status === 200 && response.headers.get('etag') !== null) {
    const have = asked.headers.get('if-none-match')
    if (have?.split(/\s*,\s*/).includes(response.headers.get('etag'))) {
      await response.body?.cancel()
      const headers = new Headers(response.headers)
      headers.delete('content-length')
      return new Response(null, { status: 304, headers })
    }
  }
  return response
}

const isoTime = (text) => text.replace(' ', 'T')
const isoTimeWithZone = (text) => isoTime(text).replace(/([+-]\d\d)$/, '$1:00')

/** jsonb arguments reach the driver as JSON text already; encoded once more they would arrive as a string. */
function json(value) {
  if (typeof value !== 'string') return JSON.stringify(value)
  if (value[0] === '{' || value[0] === '[') return value
  try {
    JSON.parse(value)
    return value
  } catch {
    return JSON.stringify(value)
  }
}

const asIs = (value) => value

export const types = {
  json: { to: 114, from: [114], serialize: json, parse: JSON.parse },
  jsonb: { to: 3802, from: [3802], serialize: json, parse: JSON.parse },
  // A number is a number: 1.50 is not the string "1.50".
  numeric: { to: 1700, from: [1700], serialize: String, parse: (text) => (Number.isFinite(Number(text)) ? Number(text) : text) },
  bigint: { to: 20, from: [20], serialize: String, parse: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)) },
  date: { to: 1082, from: [1082], serialize: asIs, parse: asIs },
  time: { to: 1083, from: [1083], serialize: asIs, parse: asIs },
  timetz: { to: 1266, from: [1266], serialize: asIs, parse: asIs },
  timestamp: { to: 1114, from: [1114], serialize: asIs, parse: isoTime },
  timestamptz: { to: 1184, from: [1184], serialize: asIs, parse: isoTimeWithZone },
}
