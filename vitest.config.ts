import { defineConfig } from 'vitest/config'
import { keepWhatIsCompiled } from './test/support/spawned-program.ts'
import { longFirst, useMemoryForTemporaryFiles } from './test/support/test-run.ts'

useMemoryForTemporaryFiles()
keepWhatIsCompiled()

/** What replaces modules or looks at its whole process, and what starts services and waits for them, has a process of its own. */
const ALONE = [
  'test/permissions/**/*.test.ts',
  'test/stories/**/*.test.ts',
  'test/adapters/prisma/engine/database-embedded.test.ts',
  'test/adapters/solana/keys/two-libraries.test.ts',
  'test/server/websocket/lifetime.test.ts',
]

/** Short samples of the long runs, which have commands of their own: `npm run test:faults`. */
const FAULTS = [
  'test/abuse/**/*.test.ts',
  'test/crash-points/**/*.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/simulator/simulator.test.ts',
  'test/stories/{chaos,kill}.test.ts',
]

/** A third of the time of all tests: `npm run test:long`, in CI and after a change of what they cover. */
const LONG = [
  'test/pay/states.test.ts',
  'test/stories/pages.test.ts',
  'test/stories/dashboard.test.ts',
  'test/services/billing/lost-pulls.test.ts',
  'test/sandbox/chain/survival.test.ts',
  'test/stories/page-connection.test.ts',
  'test/adapters/images/peak-memory.test.ts',
  'test/services/billing/checkout/approve.test.ts',
  'test/services/billing/charging.test.ts',
  'test/sdk/package.test.ts',
  'test/stories/trigger.test.ts',
]

/** Every page of the dashboard, with each role and each action: `npm run test:dashboard`, after a change of a page. */
const DASHBOARD = ['test/stories/dashboard-*.test.ts']

/** Files that take half a minute or more. At the end, all but one of the processes would have nothing to do. */
const FIRST = [
  ...LONG,
  'test/permissions/permissions.test.ts',
  'test/adapters/prisma/engine/migrate.test.ts',
  'test/adapters/prisma/engine/database-embedded.test.ts',
  'test/stories/outage.test.ts',
  'test/stories/held.test.ts',
  'test/services/billing/portal/terms.test.ts',
  'test/crash-points/crash-points.test.ts',
  'test/crash-points/billing/billing.test.ts',
]

export default defineConfig({
  // One copy of graphql in every test: Vite would take its ES build where Node, and so every library, takes the other.
  // The examples import the client by its name.
  resolve: {
    alias: [
      { find: /^graphql$/, replacement: 'graphql/index.js' },
      { find: 'solana-payments-client', replacement: new URL('./sdk/src/index.ts', import.meta.url).pathname },
    ],
  },
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Forks, not threads: the embedded chain and database are native or WebAssembly and die with their process.
    pool: 'forks',
    // More than the cores of a small machine: many tests wait for a chain.
    maxWorkers: 4,
    sequence: { sequencer: longFirst(FIRST) },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // Generous, because a busy machine is no failure: only a test that fails waits so long.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 30_000 } },
    teardownTimeout: 10_000,
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE, exclude: [...FAULTS, ...LONG, ...DASHBOARD] } },
      { extends: true, test: { name: 'long', include: LONG } },
      { extends: true, test: { name: 'dashboard', include: DASHBOARD } },
      { extends: true, test: { name: 'faults', include: FAULTS } },
      // These files share a few processes, because loading the service takes a second for each process.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...FAULTS, ...LONG, ...DASHBOARD],
          isolate: false,
        },
      },
    ],
  },
})
