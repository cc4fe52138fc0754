// The pages that are loaded when the first of them is shown.
export { ApplicationsPage } from '#dashboard/operator/applications.tsx'
export { AuditPage } from '#dashboard/operator/audit.tsx'
export { BusinessPage } from '#dashboard/operator/business.tsx'
export { BusinessesPage } from '#dashboard/operator/businesses.tsx'
export { LogPage } from '#dashboard/operator/log.tsx'
export { TokensPage } from '#dashboard/operator/tokens.tsx'
