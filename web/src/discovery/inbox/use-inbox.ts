/** The items of one bucket, and the actions on them: document, ignore, restore, lock a field. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, call, getWritten } from '../../api/client.ts'
import { contracts } from '../../api/contracts.ts'
import { isShown } from '../../api/proposing.ts'
import { devices } from '../../devices/window/device-list-client.ts'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { usePermit } from '../../shell/me.ts'
import { plural } from '../../ui/format.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { getDiscoveredName, getFieldName } from '../labels.ts'
import { type InboxFilter, inboxQuery } from '../queries.ts'
import { useDiscoveryChanged } from '../scans/scan-actions.tsx'
import type { Bucket, Difference, InboxItem, Lockable } from '../shapes.ts'

/** The most items in one request. */
const MOST_AT_ONCE = 1000

export type Choice = { readonly id: string; readonly fields?: Difference['field'][] }

type Result = {
  readonly id: string
  readonly status: string
  readonly error?: { readonly error: string } | undefined
}

export const getItemName = (item: Pick<InboxItem, 'device_name' | 'hostname' | 'ip'>): string =>
  item.device_name || getDiscoveredName(item)

/** The permissions for documenting items of a bucket. */
export const listNeeds = (bucket: Bucket): readonly string[] => [
  'discovery:update',
  bucket === 'new' ? 'devices:create' : 'devices:update',
]

export const useInbox = (filter: InboxFilter) => {
  const { may } = usePermit()
  const client = useQueryClient()
  const changed = useDiscoveryChanged()
  const report = useReport()
  const proposing = useProposing(filter.bucket && listNeeds(filter.bucket))
  const query = useInfiniteQuery({ ...inboxQuery(filter), enabled: may('discovery:list') })
  /** Ids that were decided but are still in the cached response. */
  const [settled, setSettled] = useState<ReadonlySet<string>>(new Set())
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const items = useMemo(() => {
    const all = query.data?.pages.flatMap(({ rows }) => rows) ?? []
    // A decision shifts later pages, so an item may be on both sides of a page boundary.
    return [...new Map(all.map((item) => [item.id, item])).values()].filter(({ id }) => !settled.has(id))
  }, [query.data, settled])

  const refresh = async () => {
    changed()
    void client.invalidateQueries({ queryKey: ['device'] })
    await client.refetchQueries({ queryKey: ['inbox', 'items'], type: 'active' })
    setSettled(new Set())
  }
  /** Hides the items that succeeded, and keeps the failed ones with their errors. */
  const note = (results: readonly Result[], hides: (id: string) => boolean) => {
    const failed = results.filter(({ status }) => status === 'failed')
    setProblems(new Map(failed.map(({ id, error }) => [id, error?.error ?? 'refused'])))
    setSettled(
      (old) =>
        new Set([...old, ...results.filter(({ id, status }) => status !== 'failed' && hides(id)).map(({ id }) => id)]),
    )
    if (failed.length > 0) toast(`${plural(failed.length, 'item')} stayed`, { type: 'error' })
    void refresh()
    return results.length - failed.length
  }
  const failed = (error: unknown) => toastError('Nothing was changed', error)

  const documentItems = useMutation({
    mutationFn: (choices: readonly Choice[]) =>
      call(contracts.inbox.accept, { items: choices.slice(0, MOST_AT_ONCE), ...proposing.field }),
    onSuccess: (answer, choices) => {
      const written = getWritten(answer)
      const isNow = isShown(written)
      const whole = new Set(choices.filter(({ fields }) => fields === undefined).map(({ id }) => id))
      const done = note(answer.results, (id) => isNow && whole.has(id))
      // The rows of these devices have changed, so they are loaded again when they are shown.
      devices.forget()
      if (done > 0) report(`Documented ${plural(done, 'item')}`, written)
    },
    onError: failed,
  })
  const restore = useMutation({
    mutationFn: (ids: readonly string[]) => api.inbox.restore({ ids: ids.slice(0, MOST_AT_ONCE) }),
    onSuccess: ({ results }) => {
      const done = note(results, () => true)
      if (done > 0) toast(`Put back ${plural(done, 'item')}`)
    },
    onError: failed,
  })
  const ignore = useMutation({
    mutationFn: (ids: readonly string[]) => api.inbox.ignore({ ids: ids.slice(0, MOST_AT_ONCE) }),
    onSuccess: ({ results }, ids) => {
      const done = note(results, () => true)
      if (done > 0)
        toast(`Ignored ${plural(done, 'item')}`, {
          description: 'Until another difference is found.',
          undo: () => restore.mutate(ids),
        })
    },
    onError: failed,
  })
  const unlock = useMutation({
    mutationFn: (lock: { device_id: string; field: Lockable }) => api.discoveryLocks.delete(lock),
    onSettled: refresh,
    onError: failed,
  })
  const lock = useMutation({
    mutationFn: (wanted: { device_id: string; field: Lockable }) => api.discoveryLocks.create(wanted),
    onSuccess: (_, wanted) => {
      toast(`${getFieldName(wanted.field)} is locked`, {
        description: 'Discovery proposes no change of it.',
        undo: () => unlock.mutate(wanted),
      })
      void refresh()
    },
    onError: failed,
  })
  const isBusy = documentItems.isPending || ignore.isPending || restore.isPending || lock.isPending
  return {
    query,
    items,
    problems,
    isBusy,
    proposing,
    document: documentItems.mutate,
    ignore: ignore.mutate,
    restore: restore.mutate,
    lock: lock.mutate,
  }
}

export type Inbox = ReturnType<typeof useInbox>
