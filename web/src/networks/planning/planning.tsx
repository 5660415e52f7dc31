/** The parts of planning, which are loaded when they are opened. */
import { lazy, Suspense } from 'react'
import type { Network } from '../../api/contracts.ts'

const SubnetDialog = lazy(() => import('./subnet-dialog.tsx').then((module) => ({ default: module.SubnetDialog })))
const SplitDialog = lazy(() => import('./split-dialog.tsx').then((module) => ({ default: module.SplitDialog })))
const MergeDialog = lazy(() => import('./merge-dialog.tsx').then((module) => ({ default: module.MergeDialog })))
export const SpaceTab = lazy(() => import('../space-tab.tsx').then((module) => ({ default: module.SpaceTab })))

export type Planned =
  | { readonly kind: 'allocate'; readonly network: Network; readonly blocks?: readonly string[] | undefined }
  | { readonly kind: 'split'; readonly network: Network }
  | { readonly kind: 'merge'; readonly networks: readonly Network[]; readonly onMerged: () => void }

type Props = {
  readonly planned: Planned
  readonly onClose: () => void
  readonly onMark?: ((subnet: string | undefined) => void) | undefined
}

export const PlanningDialog = ({ planned, onClose, onMark }: Props) => (
  <Suspense>
    {planned.kind === 'allocate' && (
      <SubnetDialog network={planned.network} blocks={planned.blocks} onMark={onMark} onClose={onClose} />
    )}
    {planned.kind === 'split' && <SplitDialog network={planned.network} onClose={onClose} />}
    {planned.kind === 'merge' && (
      <MergeDialog networks={planned.networks} onClose={onClose} onMerged={planned.onMerged} />
    )}
  </Suspense>
)
