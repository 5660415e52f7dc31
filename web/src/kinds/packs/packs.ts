/** The packs of ready-made kinds and fields: how they are read, installed and taken away. */
import { queryOptions } from '@tanstack/react-query'
import type { Pack } from '../../../../src/exchange/packs/api.ts'
import { call, write } from '../../api/client.ts'
import { type Change, type Contracts, contracts, type Out } from '../../api/contracts.ts'
import type { Proposing } from '../../proposals/known-proposals.ts'

export type { Pack } from '../../../../src/exchange/packs/api.ts'

export type Installed = Out<Contracts['packs']['install']>
/** A kind or field of a user that stays as it is. */
export type Kept = Installed['kept'][number]

const { list, install, uninstall } = contracts.packs

export const packsQuery = queryOptions({
  queryKey: ['kinds', 'packs'],
  queryFn: (): Promise<readonly Pack[]> => call(list, {}),
  retry: false,
})

/** Each change takes these fields, which the contract of a single operation leaves out. */
type Input = { readonly name: string; readonly dry_run?: true | 'changes'; readonly change_note?: string }
const toInput = (input: Input): { readonly name: string } => input

/** The answer of an installation, and the change that it would be. */
export const previewQuery = (name: string) =>
  queryOptions({
    // Not refreshed with the kinds: its dialog is still there for a moment once it is done.
    queryKey: ['pack-preview', name],
    queryFn: async () => {
      const [answer, change] = await Promise.all([
        call(install, toInput({ name, dry_run: true })),
        // The answer of a dry run with changes.
        call(install, toInput({ name, dry_run: 'changes' })) as Promise<unknown> as Promise<Change>,
      ])
      return { answer, change }
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

const run = (op: typeof install | typeof uninstall) => (name: string, note: string, field: Proposing['field']) =>
  write(op, { name, ...(note !== '' && { change_note: note }), ...field })

export const installPack = run(install)
export const uninstallPack = run(uninstall)

/** The change that an uninstall would be. */
export const previewUninstall = (name: string): Promise<Change> =>
  // The answer of a dry run with changes.
  call(uninstall, toInput({ name, dry_run: 'changes' })) as Promise<unknown> as Promise<Change>
