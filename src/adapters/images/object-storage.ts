// Objects in one directory, or in a bucket.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { codeOf } from '#lib/values.ts'
import type { ObjectStorage } from '#ports/images.ts'

// Objects as files of one directory.

/** Names of objects are those of files: a caller passes no separator. */
export function createFolderStorage(directory: string, newId: () => string): ObjectStorage {
  return {
    async put(name, _contentType, bytes) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const unfinished = join(directory, `.${newId()}`)
      await writeFile(unfinished, bytes, { mode: 0o600, flush: true })
      await rename(unfinished, join(directory, name))
    },

    async get(name) {
      try {
        return new Uint8Array(await readFile(join(directory, name)))
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null
        throw error
      }
    },
  }
}

// Objects in a bucket of S3, or of any storage with its interface. Requests are signed with AWS Signature Version 4.

export type S3Settings = {
  /** Without a slash at the end. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const TIMEOUT_MS = 10_000

/** The storage did not do what was asked. The message has no secret: the signature is in a header. */
export class ObjectStorageError extends Error {}

/** Names buckets in the path, which every storage understands. */
export function createS3Storage({ endpoint, bucket, region, ...credentials }: S3Settings): ObjectStorage {
  const client = new AwsClient({ ...credentials, region, service: 's3', retries: 2 })
  const urlOf = (name: string) => `${endpoint}/${bucket}/${name}`

  async function ask(name: string, init: RequestInit): Promise<Response> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      // A redirect would take the signed request elsewhere.
      return await client.fetch(urlOf(name), { ...init, redirect: 'error', signal })
    } catch (cause) {
      throw new ObjectStorageError('the object storage is unreachable', { cause })
    }
  }

  return {
    async put(name, contentType, bytes) {
      const headers = { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable' }
      const response = await ask(name, { method: 'PUT', body: Uint8Array.from(bytes), headers })
      await response.arrayBuffer()
      if (!response.ok) throw new ObjectStorageError(`the object storage answered ${response.status} to a write`)
    },

    async get(name) {
      const response = await ask(name, { method: 'GET' })
      const bytes = new Uint8Array(await response.arrayBuffer())
      if (response.status === 404) return null
      if (!response.ok) throw new ObjectStorageError(`the object storage answered ${response.status} to a read`)
      return bytes
    },
  }
}
