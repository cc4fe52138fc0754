// The links to buyers' pages that were made in this tab. A link contains the client secret, which the service shows once: it is
// kept in the memory of the tab alone.

export type BuyerLink = { readonly url: string; readonly clientSecret: string; readonly expiresAt: string }

const links = new Map<string, BuyerLink>()

export const keepLink = (paymentId: string, link: BuyerLink): void => void links.set(paymentId, link)

export const linkOf = (paymentId: string): BuyerLink | null => links.get(paymentId) ?? null
