// Objects in a folder that only its owner can read.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createFolderStorage } from '#adapters/object-storage/folder.ts'

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
