// Makes a picture of every state of the pages, in .screenshots: the tests of the pages take them on their way. Those that a document
// shows are copied to docs/screenshots.
import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const [all, shown] = [join(root, '.screenshots'), join(root, 'docs/screenshots')]
for (const directory of [all, shown]) {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory)
}
const TESTS = [
  'test/stories/pages.test.ts',
  'test/stories/page-connection.test.ts',
  'test/stories/dashboard.test.ts',
  'test/stories/dashboard-home.test.ts',
  'test/stories/dashboard-payments.test.ts',
  'test/stories/dashboard-refund-address.test.ts',
  'test/stories/dashboard-refunds.test.ts',
  'test/stories/dashboard-developers.test.ts',
  'test/stories/dashboard-settings.test.ts',
  'test/stories/dashboard-marketplace.test.ts',
  'test/stories/dashboard-subscriptions.test.ts',
  'test/pay/states.test.ts',
]
const { status } = spawnSync('npx', ['vitest', 'run', ...TESTS], {
  stdio: 'inherit',
  env: { ...process.env, SCREENSHOTS: all },
})
const documents = globSync(['README.md', 'docs/*.md'], { cwd: root })
const texts = documents.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
const names = new Set([...texts.matchAll(/screenshots\/([\w-]+\.png)/g)].map(([, name = '']) => name))
for (const name of names) copyFileSync(join(all, name), join(shown, name))
console.log(`${readdirSync(all).length} pictures in .screenshots, of which docs/screenshots has ${names.size}`)
process.exitCode = status ?? 1
