/** Requests of a benchmark to the API of a server. */

// The type of the answer is that of the contract; it is not checked.
export type Api = <T>(method: string, path: string, body?: object) => Promise<T>

/** @throws Error with the answer of a request that fails */
export const apiOf =
  ({ port }: { readonly port: number }, key: string): Api =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
