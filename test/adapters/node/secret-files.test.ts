import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readOrCreateSecretFile, readSecretFile } from '#adapters/node/secret-files.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'secret-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const notExpected = () => {
  throw new Error('not expected here')
}

describe('a secret file', () => {
  it('is made once and read ever after', async () => {
    const path = join(directory, 'deep', 'token')
    expect(await readOrCreateSecretFile(path, () => 'first')).toEqual({ secret: 'first', created: true, warning: null })
    const again = await readOrCreateSecretFile(path, notExpected)
    expect(again).toEqual({ secret: 'first', created: false, warning: null })
    expect((await readSecretFile(path)).secret).toBe('first')
  })

  it.skipIf(process.platform === 'win32')('is for its owner only', async () => {
    const path = join(directory, 'deep', 'token')
    await readOrCreateSecretFile(path, () => 'secret')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(directory, 'deep')).mode & 0o777).toBe(0o700)
  })

  it('is the same for all concurrent readers, and leaves no other file', async () => {
    const path = join(directory, 'token')
    let made = 0
    const files = await Promise.all(Array.from({ length: 20 }, () => readOrCreateSecretFile(path, () => `${made++}`)))
    expect(new Set(files.map(({ secret }) => secret)).size).toBe(1)
    expect(readdirSync(directory)).toEqual(['token'])
  })

  it('is warned of when others can read it, without being shown', async () => {
    const path = join(directory, 'token')
    writeFileSync(path, 'hush\n')
    chmodSync(path, 0o644)
    const { secret, warning } = await readSecretFile(path)
    expect(secret).toBe('hush')
    expect(warning).toContain(path)
    expect(warning).not.toContain('hush')
  })

  it('that is empty or missing is refused, never replaced', async () => {
    const path = join(directory, 'token')
    await expect(readSecretFile(path)).rejects.toThrow(`there is no file ${path}`)
    writeFileSync(path, '\n')
    await expect(readOrCreateSecretFile(path, notExpected)).rejects.toThrow(`the file ${path} is empty`)
    await expect(readSecretFile(directory)).rejects.toThrow('cannot be read (EISDIR)')
  })

  it.skipIf(process.platform !== 'linux')('where nothing can be made is refused, not tried without end', async () => {
    const path = '/proc/nowhere/token'
    await expect(readOrCreateSecretFile(path, notExpected)).rejects.toThrow(
      new Error('the directory /proc/nowhere cannot be made (ENOENT)'),
    )
  })
})
