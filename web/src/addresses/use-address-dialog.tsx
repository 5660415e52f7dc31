/** Opens the dialog that gives a free address of a network or a pool away. Its code is loaded when it is opened. */
import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from 'react'
import { usePermit } from '../shell/me.ts'
import type { AddressDialog } from './address-dialog.tsx'
import type { Place } from './place.ts'

const Dialog = lazy(() => import('./address-dialog.tsx').then((module) => ({ default: module.AddressDialog })))

export const LazyAddressDialog = (props: ComponentProps<typeof AddressDialog>) => (
  <Suspense>
    <Dialog {...props} />
  </Suspense>
)

export type AddressDialogTools = {
  /** @param ip the next free one by default */
  readonly open: (place: Place, ip?: string) => void
  /** Why none can be given away. */
  readonly blocked: string | undefined
  readonly dialog: ReactNode
}

export const useAddressDialog = (): AddressDialogTools => {
  const { may, blocked } = usePermit()
  const [opened, setOpened] = useState<{ readonly place: Place; readonly ip: string | undefined }>()
  const isAllowed = ['devices:update', 'devices:create', 'reservations:create'].some(may)
  return {
    open: (place, ip) => setOpened({ place, ip }),
    blocked: isAllowed ? undefined : blocked('devices:update'),
    dialog: opened && <LazyAddressDialog {...opened} onClose={() => setOpened(undefined)} />,
  }
}
