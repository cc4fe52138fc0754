/** The path of {pay_url} on this service. `PAY_URL` has the address by which browsers reach it. */
export const PAY_PATH = '/pay'
