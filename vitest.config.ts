import { defineConfig } from 'vitest/config'

export default defineConfig({
  // One copy of graphql in every test: Vite would take its ES build where Node, and so every library, takes the other.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Forks, not threads: the embedded chain and database are native or WebAssembly and die with their process.
    pool: 'forks',
    maxWorkers: 2,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    testTimeout: 15_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
})
