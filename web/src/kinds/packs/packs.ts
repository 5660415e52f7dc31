/** The packs of ready-made kinds and fields: how they are read, installed and taken away. */
import { queryOptions } from '@tanstack/react-query'
import type { Pack } from '../../../../src/exchange/packs/api.ts'
import type { AnyOperation } from '../../../../src/kernel/operation.ts'
import { CHANGE_ID, call, callTagged, getChangeId, send } from '../../api/client.ts'
import type { Change } from '../../api/contracts.ts'

export type { Pack } from '../../../../src/exchange/packs/api.ts'

/** A kind or field of a user that stays as it is. */
export type Kept = { readonly resource: string; readonly name: string; readonly field?: string | null }

export type Installed = {
  readonly name: string
  readonly version: number
  /** The version before. */
  readonly from: number | null
  readonly created: number
  readonly updated: number
  readonly removed: number
  readonly kept: readonly Kept[]
}

/** Only these parts of an operation are read. */
const toOperation = (http: string): AnyOperation =>
  ({ http, headers: { 'X-Change-Note': 'change_note' }, inQuery: ['dry_run'] }) as Partial<AnyOperation> as AnyOperation

const LIST = toOperation('GET /api/packs')
const INSTALL = toOperation('POST /api/packs/{name}/install')
const UNINSTALL = toOperation('DELETE /api/packs/{name}')

export const packsQuery = queryOptions({
  queryKey: ['kinds', 'packs'],
  // The answer of this route.
  queryFn: async () => (await call(LIST, {})) as readonly Pack[],
  retry: false,
})

/** The answer of an installation, and the change that it would be. */
export const previewQuery = (name: string) =>
  queryOptions({
    // Not refreshed with the kinds: its dialog is still there for a moment once it is done.
    queryKey: ['pack-preview', name],
    queryFn: async () => {
      const [answer, change] = await Promise.all([
        call(INSTALL, { name, dry_run: true }),
        call(INSTALL, { name, dry_run: 'changes' }),
      ])
      // The answers of this route to both dry runs.
      return { answer: answer as Installed, change: change as Change }
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

const withNote = (note: string) => (note === '' ? {} : { change_note: note })

/** @returns the change, by which it is undone */
export const installPack = async (name: string, note: string): Promise<string | undefined> =>
  getChangeId((await callTagged(INSTALL, { name, ...withNote(note) })).value as Installed)

/** @returns the change, by which it is undone */
export const uninstallPack = async (name: string, note: string): Promise<string | undefined> =>
  (await send(UNINSTALL, { name, ...withNote(note) })).headers.get(CHANGE_ID) ?? undefined

/** The change that an uninstall would be. */
export const previewUninstall = async (name: string): Promise<Change> =>
  // The answer of a dry run.
  (await call(UNINSTALL, { name, dry_run: 'changes' })) as Change
