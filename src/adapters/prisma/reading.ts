// What reads share: an absent row is an error, and whose rows an edge can read.
import type { Tenant } from '#core/accounts/account.ts'
import { type ErrorCode, ServiceError } from '#core/errors.ts'

/** Returns the value. Throws `code` when it is null. */
export function found<T>(value: T | null, code: ErrorCode): T {
  if (value === null) throw new ServiceError(code)
  return value
}

/** Columns are not selected: an object is read whole, and relations with it. */
export type WithoutColumns<Args> = Omit<Args, 'select' | 'omit'>
export type Without<Args> = Omit<Args, 'select' | 'omit' | 'include'>

/** The reads of one model, as plugin-prisma calls them. */
export type Reads<Many, Unique, Value> = {
  findMany(args: Many): Promise<Value[]>
  findUnique(args: Unique): Promise<Value | null>
  /** Throws when it is not found. */
  findUniqueOrThrow(args: Unique): Promise<Value>
}

type WhereOf<Args extends { readonly where?: object | undefined }> = NonNullable<Args['where']>

/**
 * Confines the reads of a model to a tenant. `listed`: the rows of its lists; `visible`: the rows that are also found alone, the same
 * when it is left out; `rows` reads those to which all conditions apply, and `read` decodes them.
 */
export function createReads<
  Many extends { readonly where?: object | undefined },
  Unique extends { readonly where: { readonly id?: string | undefined } },
  Row,
  Value,
>({
  listed,
  visible = listed,
  notFound,
  rows,
  read,
}: {
  readonly listed: WhereOf<Many>
  readonly visible?: WhereOf<Many>
  readonly notFound: ErrorCode
  readonly rows: (conditions: (WhereOf<Many> | { id: string })[], args: Many | Unique) => Promise<Row[]>
  readonly read: (rows: readonly Row[]) => Value[] | Promise<Value[]>
}): Reads<Many, Unique, Value> {
  const findUnique = async (args: Unique): Promise<Value | null> => {
    const [value] = await read(await rows([visible, { id: args.where.id ?? '' }], args))
    return value ?? null
  }
  return {
    findMany: async (args) => await read(await rows(args.where === undefined ? [listed] : [listed, args.where], args)),
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), notFound),
  }
}

/** Selects the rows of a business, and those of its sellers. */
export const visibleTo = ({ accountId, network }: Tenant) => ({
  account: { network, OR: [{ id: accountId }, { marketplaceAccountId: accountId }] },
})
