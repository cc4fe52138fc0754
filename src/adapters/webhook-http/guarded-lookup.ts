// Resolves names for webhooks. Only public addresses are returned, and the connection is made to a returned address. A
// name that changes its address between check and connection therefore gains nothing.
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from '#core/events/public-address.ts'

/** Returns all addresses of a name. Rejects when there are none. */
export type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>

export class PrivateAddressError extends Error {
  constructor() {
    super('the address is not on the public internet')
    this.name = 'PrivateAddressError'
  }
}

/**
 * Asks DNS directly. The system's lookup runs on the few threads of the runtime, where two names with a slow name server
 * would delay all others. It also knows private names, which are not wanted here.
 */
export function createPublicResolver(nameServers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: 2_000, tries: 3 })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses: LookupAddress[] = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (addresses.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error('the name has no address')
    return addresses
  }
}

/** Returns a `lookup` for sockets that gives public addresses only. A name with one private address is refused. */
export function guardedLookup(resolve: ResolveName): LookupFunction {
  return (hostname, options, callback) => {
    const fail = (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), [])
    resolve(hostname).then((addresses) => {
      const [first] = addresses
      if (first === undefined) return fail(new Error('the name has no address'))
      if (!addresses.every(({ address }) => isPublicAddress(address))) return fail(new PrivateAddressError())
      if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }, fail)
  }
}
