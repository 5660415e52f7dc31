/** Deleting devices: at once on the page, a little later on the server, and until then it can be undone. */
import { api } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'
import { closeToast, TOAST_MS, toast, toastError } from '../ui/toast.tsx'
import { runBatch } from './batch.ts'
import { fitting } from './keepalive-limit.ts'
import { devices } from './source.ts'

type Pending = {
  readonly ids: readonly string[]
  readonly timer: ReturnType<typeof setTimeout>
  readonly toastId: string
}

const pending = new Set<Pending>()

const hidePending = (): void => devices.hide([...pending].flatMap(({ ids }) => ids))

const send = async (ids: readonly string[]): Promise<void> => {
  const [only] = ids
  if (ids.length === 1 && only !== undefined) await api.devices.delete({ id: only })
  else await runBatch(ids.map((id) => ({ op: 'delete', id })))
}

const finish = async (one: Pending): Promise<void> => {
  pending.delete(one)
  try {
    await send(one.ids)
    devices.drop(one.ids)
  } catch (error) {
    toastError('Not deleted', error)
    devices.load()
  }
  hidePending()
  for (const id of one.ids) queryClient.removeQueries({ queryKey: ['device', id] })
}

/** `what` is read in the note: "web-01", "12 devices". */
export const removeLater = (ids: readonly string[], what: string): void => {
  const undo = () => {
    clearTimeout(one.timer)
    pending.delete(one)
    hidePending()
  }
  const one: Pending = {
    ids,
    timer: setTimeout(() => {
      closeToast(one.toastId)
      void finish(one)
    }, TOAST_MS),
    toastId: toast(`Deleted ${what}`, {
      undo,
      ...(fitting(ids).length < ids.length ? { description: 'Keep this page open until they are gone.' } : {}),
    }),
  }
  pending.add(one)
  hidePending()
}

const pendingIds = (): readonly string[] => [...pending].flatMap(({ ids }) => ids)

/** Sends the pending deletions when the page closes. */
const flush = (): void => {
  const ids = fitting(pendingIds())
  for (const { timer } of pending) clearTimeout(timer)
  pending.clear()
  if (ids.length === 0) return
  const body = JSON.stringify({ operations: ids.map((id) => ({ op: 'delete', id })), atomic: false })
  const headers = { 'content-type': 'application/json', 'x-requested-with': 'XMLHttpRequest' }
  void fetch('/api/devices/bulk', { method: 'POST', keepalive: true, headers, body })
}
window.addEventListener('pagehide', flush)
// More than can be sent on the way out: the browser asks whether to stay.
window.addEventListener('beforeunload', (event) => {
  const ids = pendingIds()
  if (fitting(ids).length < ids.length) event.preventDefault()
})
