// Makes the pictures of every state of the pages, in docs/screenshots: the tests of the pages take them on their way.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

const directory = resolve(import.meta.dirname, '../docs/screenshots')
rmSync(directory, { recursive: true, force: true })
mkdirSync(directory, { recursive: true })
const TESTS = ['test/stories/pages.test.ts', 'test/stories/page-connection.test.ts', 'test/pay/states.test.ts']
const { status } = spawnSync('npx', ['vitest', 'run', ...TESTS], {
  stdio: 'inherit',
  env: { ...process.env, SCREENSHOTS: directory },
})
console.log(`${readdirSync(directory).length} pictures in docs/screenshots`)
process.exitCode = status ?? 1
