// A database that forgets: what an asynchronous standby, or a backup, has when it takes over. The chain keeps what landed.
import type { Database } from '#adapters/prisma/engine/database.ts'

/** The tables with the columns that are not generated. */
const TABLES = `
SELECT quote_ident(name) AS name, string_agg(quote_ident(column_name), ', ') AS columns
FROM (
  SELECT tables.table_name AS name, column_name FROM information_schema.tables
  JOIN information_schema.columns USING (table_schema, table_name)
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
) kept WHERE name NOT LIKE '\\_prisma%'
GROUP BY name ORDER BY name`

type Table = { readonly name: string; readonly columns: string }

/** Keeps the rows of this moment. Returns a function that brings the database back to them, once. */
export async function keepRows(db: Database): Promise<() => Promise<void>> {
  const tables = await db.query<Table>(TABLES, [])
  await db.prisma.$executeRawUnsafe('CREATE SCHEMA kept')
  for (const { name, columns } of tables)
    await db.prisma.$executeRawUnsafe(`CREATE TABLE kept.${name} AS SELECT ${columns} FROM ${name}`)
  return () =>
    db.prisma.$transaction(async (tx) => {
      // Neither triggers nor foreign keys judge a restored row.
      await tx.$executeRawUnsafe('SET LOCAL session_replication_role = replica')
      for (const { name, columns } of tables) {
        await tx.$executeRawUnsafe(`DELETE FROM ${name}`)
        await tx.$executeRawUnsafe(`INSERT INTO ${name} (${columns}) SELECT ${columns} FROM kept.${name}`)
      }
      await tx.$executeRawUnsafe('DROP SCHEMA kept CASCADE')
    })
}
