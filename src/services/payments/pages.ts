// The addresses of the pages of payments.

export type PageServices = {
  /** Returns the page on which a buyer pays. Every person who has it can do what its client secret permits. */
  paymentUrl(clientSecret: string): string
}

/** `payUrl` is {pay_url}, without a slash at the end. */
export const createPageServices = ({ payUrl }: { readonly payUrl: string }): PageServices => ({
  paymentUrl: (clientSecret) => `${payUrl}/i/${clientSecret}`,
})
