/** Probes a server from a separate thread, so that a busy load client can't be mistaken for a busy server. */

export type Watch = {
  /** How long each probe waited, in ms. */
  readonly stop: () => Promise<number[]>
}

export const watch = (port: number): Watch => {
  const worker = new Worker(new URL('./watch-worker.ts', import.meta.url))
  worker.postMessage({ port })
  return {
    stop: () =>
      new Promise((resolve) => {
        worker.onmessage = ({ data }: MessageEvent<number[]>) => {
          worker.terminate()
          resolve(data)
        }
        worker.postMessage('stop')
      }),
  }
}
