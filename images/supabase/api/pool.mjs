// A pool of PostgreSQL sessions for lite's query builder.
//
// The pool inside `postgres` 3.4 does not survive the death of a connection that is in use: it writes to the closed
// socket (which ends the process), forgets who waits, or hands a ROLLBACK to the next user of the slot. Here every
// session is a client of its own, used by one request at a time, and thrown away at the first sign of trouble.
import { Kysely, PostgresAdapter, PostgresDriver, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import postgres from 'postgres'

const LOST = /^(CONNECT|ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|EHOST|ENET|ETIMEDOUT)/

/** Did this error come from the connection, and not from the statement? */
export const isLost = (error) => LOST.test(error?.code) || /^(FATAL|PANIC)/.test(error?.severity)

export class Session {
  broken = false
  #sql

  constructor(options) {
    // The client would connect again by itself, outside of the transaction and the role that the request is in: `broken` is
    // set before it can, and nothing is sent after that.
    this.#sql = postgres({ ...options, max: 1, max_lifetime: null, onclose: () => (this.broken = true) })
  }

  async executeQuery({ sql, parameters = [] }) {
    if (this.broken) throw Object.assign(new Error('the connection to PostgreSQL was lost'), { code: 'CONNECTION_CLOSED' })
    try {
      const rows = await this.#sql.unsafe(sql, [...parameters])
      const counts = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(rows.command)
      return { rows: Array.from(rows), numAffectedRows: counts ? BigInt(rows.count) : undefined }
    } catch (error) {
      if (isLost(error)) this.broken = true
      throw error
    }
  }

  close() {
    this.broken = true
    this.#sql.end({ timeout: 1 }).catch(() => {})
  }
}

export class Pool extends PostgresDriver {
  #options
  #size
  #taken = 0
  #free = []
  #line = []
  #closed = false

  constructor(options, size) {
    super({})
    this.#options = options
    this.#size = size
  }

  get kysely() {
    return new Kysely({
      dialect: {
        createDriver: () => this,
        createAdapter: () => new PostgresAdapter(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    })
  }

  async init() {}

  async acquireConnection() {
    if (this.#taken === this.#size) await new Promise((go) => this.#line.push(go))
    else this.#taken++
    for (let session; (session = this.#free.pop()); session.close()) if (!session.broken) return session
    return new Session(this.#options)
  }

  async rollbackTransaction(session) {
    try {
      await super.rollbackTransaction(session)
    } catch (error) {
      session.broken = true // in no state for another request
      if (!isLost(error)) throw error // else the caller has the first error, which says more
    }
  }

  async releaseConnection(session) {
    if (session.broken || this.#closed) session.close()
    else this.#free.push(session)
    const next = this.#line.shift()
    if (next) next()
    else this.#taken--
  }

  /** Idle sessions end now, the others when their request does. */
  close() {
    this.#closed = true
    for (const session of this.#free.splice(0)) session.close()
  }
}
