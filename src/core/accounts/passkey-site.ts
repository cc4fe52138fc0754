// Where passkeys work: browsers bind them to a name, and give them to pages over TLS only.

/** The site that passkeys are bound to. */
export type PasskeySite = { readonly host: string; readonly origin: string }

const IP_ADDRESS = /^(?:\[.*\]|\d+\.\d+\.\d+\.\d+)$/

/** Returns the site of an address; or, in a sentence for people, why passkeys do not work there. */
export function passkeySiteOf(publicUrl: string): PasskeySite | string {
  const { hostname, origin, protocol } = new URL(publicUrl)
  if (IP_ADDRESS.test(hostname))
    return 'Passkeys need a name, and the address of this service (PUBLIC_URL) has an IP address.'
  if (protocol !== 'https:' && hostname !== 'localhost')
    return 'Passkeys need https, and the address of this service (PUBLIC_URL) is plain http.'
  return { host: hostname, origin }
}
