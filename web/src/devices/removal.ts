/** Deleting devices: at once on the page, a little later on the server, and until then it can be undone. */
import { api } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'
import { closeToast, TOAST_MS, toast, toastError } from '../ui/toast.tsx'
import { runBatch } from './batch.ts'
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
    toastId: toast(`Deleted ${what}`, { undo }),
  }
  pending.add(one)
  hidePending()
}

/** Who leaves has not undone it. */
const flush = (): void => {
  for (const { ids, timer } of pending) {
    clearTimeout(timer)
    const body = JSON.stringify({ operations: ids.slice(0, 1000).map((id) => ({ op: 'delete', id })), atomic: false })
    const headers = { 'content-type': 'application/json', 'x-requested-with': 'XMLHttpRequest' }
    void fetch('/api/devices/bulk', { method: 'POST', keepalive: true, headers, body })
  }
  pending.clear()
}
window.addEventListener('pagehide', flush)
