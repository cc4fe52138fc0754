// The member who is logged in.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { DashboardMeFragment } from '#dashboard/documents.generated.ts'

const MeContext = createContext<DashboardMeFragment | null>(null)
export const MeProvider = MeContext.Provider

/** Returns whether the member may do what needs a permission. The service decides again. */
export function usePermission(permission: string): boolean {
  return useMe().permissions.includes(permission)
}

export function useMe(): DashboardMeFragment {
  const me = useContext(MeContext)
  if (me === null) throw new Error('no member is logged in')
  return me
}
