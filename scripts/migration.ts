// Makes the migration that takes prisma/migrations to prisma/schema.prisma, offline: Prisma's own schema engine as
// WebAssembly compares the schema with a throwaway PGlite on which every migration was run.
//
//   npm run migration -- NAME          writes prisma/migrations/<timestamp>_NAME/migration.sql
//   npm run migration -- --empty NAME  the same without SQL, for what a schema file cannot say
//   npm run migration -- --check       exits with 1 when schema and migrations differ
//
// Prisma does not see partial and expression indexes, checks, exclusion constraints, triggers, functions, sequences
// and views, so migrations may make them freely. What it does see, and would drop, a migration names in a comment
// that is run on the throwaway database only, before the comparison: `-- before comparing: DROP INDEX "by_name";`
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { SchemaEngine } from '@prisma/schema-engine-wasm'
import { PrismaPGlite } from 'pglite-prisma-adapter'

const BEFORE_COMPARING = /^-- before comparing: (.+)$/gm
const LOCK_FILE = 'migration_lock.toml'

/** The SQL from the migrations in `prismaDirectory` to its schema.prisma; undefined when there is no difference. */
export async function compareSchema(
  prismaDirectory: string,
  openEmpty: () => Promise<PGlite> = () => PGlite.create(),
): Promise<string | undefined> {
  const schema = {
    path: 'schema.prisma',
    content: readFileSync(join(prismaDirectory, 'schema.prisma'), 'utf8'),
  }
  const database = await openEmpty()
  try {
    await migrateForComparison(database, join(prismaDirectory, 'migrations'))
    const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPGlite(database))
    const engine = await SchemaEngine.new({ datamodels: [[schema.path, schema.content]] }, () => {}, adapter)
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files: [schema], configDir: prismaDirectory },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    })
    return exitCode === 0 ? undefined : (stdout ?? '')
  } finally {
    await database.close()
  }
}

async function migrateForComparison(database: PGlite, migrations: string): Promise<void> {
  for (const name of migrationNames(migrations)) {
    const sql = readFileSync(join(migrations, name, 'migration.sql'), 'utf8')
    await database.exec(sql).catch((cause) => {
      throw new Error(`migration ${name} fails: ${cause instanceof Error ? cause.message : cause}`, { cause })
    })
  }
  for (const name of migrationNames(migrations)) {
    const sql = readFileSync(join(migrations, name, 'migration.sql'), 'utf8')
    for (const [, statement = ''] of sql.matchAll(BEFORE_COMPARING)) await database.exec(statement)
  }
}

/** Writes a migration folder and returns its name, which sorts after every older one. */
export function writeMigration(prismaDirectory: string, name: string, sql: string, now: Date): string {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`"${name}" is no name for a migration: use lower_snake_case`)
  const migrations = join(prismaDirectory, 'migrations')
  const last = migrationNames(migrations).at(-1)?.split('_')[0] ?? '0'
  const stamp = now.toISOString().replace(/\D/g, '').slice(0, 14)
  const folder = `${stamp > last ? stamp : BigInt(last) + 1n}_${name}`
  mkdirSync(join(migrations, folder), { recursive: true })
  writeFileSync(join(migrations, folder, 'migration.sql'), sql)
  if (!existsSync(join(migrations, LOCK_FILE))) {
    writeFileSync(join(migrations, LOCK_FILE), 'provider = "postgresql"\n')
  }
  return folder
}

function migrationNames(migrations: string): string[] {
  if (!existsSync(migrations)) return []
  const entries = readdirSync(migrations, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

async function main(): Promise<number> {
  const options = { check: { type: 'boolean' }, empty: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const prismaDirectory = resolve(import.meta.dirname, '../prisma')
  const name = positionals.join('_').replaceAll('-', '_').toLowerCase()
  if (!values.check && name === '') {
    console.error('usage: npm run migration -- NAME | --empty NAME | --check')
    return 1
  }
  if (values.empty) {
    const folder = writeMigration(prismaDirectory, name, '-- What a schema file cannot say.\n', new Date())
    console.log(`made prisma/migrations/${folder}/migration.sql: write it before it is applied anywhere`)
    return 0
  }
  const sql = await compareSchema(prismaDirectory)
  if (sql === undefined) {
    console.log('nothing to do: the migrations make what prisma/schema.prisma says')
    return 0
  }
  if (values.check) {
    console.error(
      `prisma/schema.prisma and prisma/migrations differ; \`npm run migration -- NAME\` would write:\n\n${sql}`,
    )
    return 1
  }
  console.log(`made prisma/migrations/${writeMigration(prismaDirectory, name, sql, new Date())}/migration.sql`)
  return 0
}

if (import.meta.main) process.exitCode = await main()
