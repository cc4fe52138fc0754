// The addresses of the operator's pages.
import { HOME } from '#dashboard/browser/paths.ts'

export const OVERVIEW = HOME
export const BUSINESSES = `${HOME}/businesses`
export const businessPath = (id: string): string => `${BUSINESSES}/${id}`
export const TOKENS = `${HOME}/tokens`
export const APPLICATIONS = `${HOME}/applications`
export const AUDIT = `${HOME}/audit`
export const LOG = `${HOME}/log`
