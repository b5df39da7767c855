// Storage on disk. An object is one file: its bytes, then what is known of it as JSON, then that JSON's length in
// four bytes. It is written beside and renamed, so a reader gets the old object or the new one, never half of one.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'

const LARGEST = 50 * 2 ** 20
const AT_ONCE = 2 ** 20 // bytes; a chunk has 64 KiB, and each write is a round through another thread

export class FileStore {
  driver = null
  #base

  constructor(base) {
    this.#base = base
    this.#ready = mkdir(join(base, 'tmp'), { recursive: true })
      .then(() => readdir(join(base, 'tmp')))
      .then((left) => Promise.all(left.map((name) => unlink(join(base, 'tmp', name)))))
  }
  #ready

  /** One flat name per object: no key can leave the folder or collide with another's. */
  #path(bucket, key) {
    return join(this.#base, createHash('sha256').update(JSON.stringify([bucket, key])).digest('hex'))
  }

  async #write(bucket, key, chunks, about) {
    await this.#ready
    const beside = join(this.#base, 'tmp', randomUUID())
    const file = await open(beside, 'wx', 0o600)
    try {
      const md5 = createHash('md5')
      let size = 0
      let held = []
      let waiting = 0
      const flush = async () => {
        const { bytesWritten } = await file.writev(held)
        if (bytesWritten < waiting) throw new Error('the disk is full')
        held = []
        waiting = 0
      }
      for await (const chunk of chunks) {
        md5.update(chunk)
        size += chunk.length
        if (size > LARGEST) throw new Error('the file is over 50 MiB') // lite only looks at Content-Length
        held.push(chunk)
        waiting += chunk.length
        if (waiting >= AT_ONCE) await flush()
      }
      if (waiting) await flush()
      const saved = { ...about, size, eTag: `"${md5.digest('hex')}"`, lastModified: new Date().toISOString() }
      const tail = Buffer.from(JSON.stringify(saved))
      const length = Buffer.alloc(4)
      length.writeUInt32BE(tail.length)
      await file.write(Buffer.concat([tail, length]))
      await file.sync()
      await file.close()
      await rename(beside, this.#path(bucket, key))
      return described(saved)
    } catch (error) {
      await file.close().catch(() => {})
      await unlink(beside).catch(() => {})
      throw error
    }
  }

  async #read(bucket, key) {
    const file = await open(this.#path(bucket, key), 'r')
    try {
      const { size } = await file.stat()
      const length = Buffer.alloc(4)
      await file.read(length, 0, 4, size - 4)
      const tail = Buffer.alloc(length.readUInt32BE())
      await file.read(tail, 0, tail.length, size - 4 - tail.length)
      return { file, saved: JSON.parse(tail) }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async uploadObject(bucket, key, _version, body, mimetype, cacheControl) {
    const chunks = body instanceof Uint8Array ? [body] : Readable.fromWeb(body)
    return this.#write(bucket, key, chunks, { mimetype, cacheControl })
  }

  async getObject(bucket, key) {
    const { file, saved } = await this.#read(bucket, key)
    const metadata = described(saved)
    if (saved.size === 0) {
      await file.close()
      return { httpStatusCode: 200, metadata, body: new Blob([]).stream() }
    }
    return { httpStatusCode: 200, metadata, body: Readable.toWeb(file.createReadStream({ start: 0, end: saved.size - 1 })) }
  }

  async headObject(bucket, key) {
    const { file, saved } = await this.#read(bucket, key)
    await file.close()
    return described(saved)
  }

  async copyObject(bucket, key, _version, toBucket, toKey) {
    const { file, saved } = await this.#read(bucket, key)
    const bytes = Buffer.alloc(saved.size)
    await file.read(bytes, 0, saved.size, 0)
    await file.close()
    return { httpStatusCode: 200, ...(await this.#write(toBucket, toKey, [bytes], { mimetype: saved.mimetype, cacheControl: saved.cacheControl })) }
  }

  async deleteObject(bucket, key) {
    await unlink(this.#path(bucket, key)).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
  }

  async deleteObjects(bucket, keys) {
    for (const key of keys) await this.deleteObject(bucket, key)
  }

  async privateAssetUrl(bucket, key) {
    return `file://${this.#path(bucket, key)}`
  }
}

const described = (saved) => ({ ...saved, contentLength: saved.size, lastModified: new Date(saved.lastModified) })
