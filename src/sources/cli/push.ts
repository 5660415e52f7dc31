/** `plat source push`: sends a snapshot of a file, or one that is fetched from this machine. */
import { readFile } from 'node:fs/promises'
import { AppError } from '../../contract/errors.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import { call, sendRequest, type Transport } from '../../surfaces/cli/connection/client.ts'
import { present } from '../../surfaces/cli/output/present.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { sources } from '../api.ts'
import { collect, completeOptions, formatPush, requireUrl } from './collect.ts'
import { findKind, readLocalSecrets, readOptions } from './named-values.ts'
import { findSourceId } from './run.ts'

type Body = Uint8Array | string

const readBody = async ({ io }: Session, path: string): Promise<Body> => {
  try {
    return path === '-' ? await io.stdin.readAll() : await readFile(path)
  } catch (error) {
    throw createUsageError(`can't read ${path}: ${getErrorMessage(error)}`)
  }
}

/** Fetches the source from here, with its settings. */
const fetchHere = async (session: Session, transport: Transport, texts: Texts): Promise<Body> => {
  const id = await findSourceId(session, transport, texts)
  const source = await call(transport, sources.get, { id })
  const kind = findKind(source.kind)
  const collected = await collect(session, {
    ...{ kind: kind.kind, url: requireUrl(kind, getText(texts, 'url') ?? source.url) },
    timeoutMs: source.timeout_seconds * 1000,
    options: completeOptions(kind, { ...source.options, ...readOptions(kind, texts) }),
    secrets: await readLocalSecrets(session.io, kind, texts),
    ...{ tlsCa: source.tls_ca, tlsFingerprint: source.tls_fingerprint },
  })
  return formatPush(kind, collected)
}

export const pushSource = async (session: Session, texts: Texts): Promise<number> => {
  const id = getText(texts, 'id')
  if (id === undefined) throw createUsageError('ID missing: the source')
  const file = getText(texts, 'file')
  const { transport } = await session.connect()
  const body = file === undefined ? await fetchHere(session, transport, texts) : await readBody(session, file)
  const init = {
    ...{ method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body },
    // Disables Bun's limit of five minutes for a response.
    timeout: false,
  }
  const query = isOn(texts, 'force') ? '?force=true' : ''
  const post = (one: string) => sendRequest(transport, `/api/sources/${encodeURIComponent(one)}/push${query}`, init)
  const send = async (): Promise<Response> => {
    try {
      return await post(id)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error
      // It may be a name. A key that can push alone needs the id.
      return await post(await findSourceId(session, transport, texts))
    }
  }
  const response = await send()
  // The answer of a run as well.
  return (await present(session, { op: sources.run, transport, response })) ? 0 : 1
}
