/** The drawer of a device. Its code is loaded when it is opened. */
import { lazy, Suspense } from 'react'
import type { DrawerProps } from './device-drawer.tsx'

const Drawer = lazy(() => import('./device-drawer.tsx').then((module) => ({ default: module.DeviceDrawer })))

export const LazyDeviceDrawer = (props: DrawerProps) => (
  <Suspense>
    <Drawer {...props} />
  </Suspense>
)
