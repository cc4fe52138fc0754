// Objects in a folder that only its owner can read.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolderStorage, createS3Storage, ObjectStorageError } from '#adapters/images/object-storage.ts'
import { type FakeS3, startFakeS3 } from '../../support/images.ts'

describe('folder', () => {
  const parent = mkdtempSync(join(tmpdir(), 'images-'))
  afterAll(() => rmSync(parent, { recursive: true, force: true }))

  it('an object is stored whole under its name, and read again; another name is null', async () => {
    const directory = join(parent, 'images')
    const storage = createFolderStorage(directory, () => crypto.randomUUID())
    expect(await storage.get('a.png')).toBeNull()
    const bytes = new Uint8Array([1, 2, 3])
    await Promise.all([storage.put('a.png', 'image/png', bytes), storage.put('a.png', 'image/png', bytes)])
    expect(await storage.get('a.png')).toEqual(bytes)
    expect(readdirSync(directory)).toEqual(['a.png'])
    expect([statSync(directory).mode & 0o077, statSync(join(directory, 'a.png')).mode & 0o077]).toEqual([0, 0])
  })
})

// Objects in a bucket, with requests that the storage accepts only when their signature is right.
describe('s3', () => {
  const bucket = { bucket: 'payments-images', region: 'eu-central-1' }
  const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
  let s3: FakeS3
  beforeAll(async () => {
    s3 = await startFakeS3({ ...bucket, secret: secretAccessKey })
  })
  afterAll(() => s3.close())

  const storage = (patch: Partial<Parameters<typeof createS3Storage>[0]> = {}) =>
    createS3Storage({ endpoint: s3.url, ...bucket, accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey, ...patch })
  const bytes = new Uint8Array([0, 1, 2, 255])

  it('an object is written with its type, and read as it was written', async () => {
    await storage().put('a.png', 'image/png', bytes)
    expect(s3.objects.get('a.png')).toEqual({ type: 'image/png', bytes })
    expect(await storage().get('a.png')).toEqual(bytes)
  })

  it('an object that does not exist is null', async () => {
    expect(await storage().get('b.png')).toBeNull()
  })

  it.each([
    ['another secret', { secretAccessKey: 'another' }],
    ['another region', { region: 'us-east-1' }],
  ])('a request that is signed with %s is refused, and the error names no secret', async (_case, patch) => {
    const { put, get } = storage(patch)
    for (const ask of [() => put('c.png', 'image/png', bytes), () => get('a.png')]) {
      const error = await ask().then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(ObjectStorageError)
      expect(String(error)).toMatch(/answered 403/)
      expect(String(error)).not.toContain(secretAccessKey)
    }
    expect(s3.objects.has('c.png')).toBe(false)
  })

  it('a storage that fails is asked again, and then is an error', async () => {
    const before = s3.statuses.length
    s3.fail(500)
    await expect(storage().put('d.png', 'image/png', bytes)).rejects.toThrow(ObjectStorageError)
    s3.fail(null)
    expect(s3.statuses.length - before).toBe(3)
  })

  it('a storage that does not answer is an error', async () => {
    await expect(storage({ endpoint: 'http://127.0.0.1:1' }).get('a.png')).rejects.toThrow(/unreachable/)
  })
})
