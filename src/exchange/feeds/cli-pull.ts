/** Fetches the content of a feed, to print it or to keep a file equal to it. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, chown, type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { sendRequest } from '../../surfaces/cli/connection/client.ts'
import { getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'

async function* fetchContent({ io, connect }: Session, texts: Texts): AsyncGenerator<Uint8Array> {
  const { transport } = await connect()
  const id = getText(texts, 'id')
  if (id === undefined) throw createUsageError('ID missing: the id of a feed')
  const init = { method: 'GET', headers: {}, signal: io.interrupted(), timeout: false }
  const { body } = await sendRequest(transport, `/api/feeds/${encodeURIComponent(id)}/content`, init)
  try {
    for await (const bytes of body ?? new ReadableStream<Uint8Array>()) yield bytes
  } catch (cause) {
    throw new AppError('UNAVAILABLE', `${transport.baseUrl} broke off in the middle of the feed`, { cause })
  }
}

export const printContent = async (session: Session, texts: Texts): Promise<number> => {
  for await (const bytes of fetchContent(session, texts)) await session.io.stdout.write(bytes)
  return 0
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Returns undefined for a file that is not there. */
const unlessMissing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const hashOfFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes)
  return hash.digest('hex')
}

/** Writes to the end of the disk, so that the rename never shows a part. @returns the hash of the content */
const writeAll = async (file: FileHandle, content: AsyncIterable<Uint8Array>): Promise<string> => {
  const hash = createHash('sha256')
  for await (const bytes of content) {
    hash.update(bytes)
    await file.writeFile(bytes)
  }
  await file.sync()
  return hash.digest('hex')
}

/** Creates the marker of a command that has to run. */
const markPending = async (path: string): Promise<void> => {
  const file = await open(path, 'w')
  await file.sync()
  await file.close()
}

type Target = {
  readonly path: string
  /** The marker of the command; undefined without a command. */
  readonly pending: string | undefined
}

/** @returns true if the file has changed */
const replace = async ({ path, pending }: Target, content: AsyncIterable<Uint8Array>): Promise<boolean> => {
  const before = await unlessMissing(stat(path))
  if (before && !before.isFile()) throw createUsageError(`${path} is no file`)
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}`)
  const file = await open(draft, 'wx')
  try {
    const hash = await writeAll(file, content).finally(() => file.close())
    if (before && (await hashOfFile(path)) === hash) return false
    if (before) {
      await chmod(draft, before.mode & 0o7777)
      // Only root may give a file away.
      await chown(draft, before.uid, before.gid).catch(() => {})
    }
    // Before the rename: after a crash between them the command runs once too often, and never too seldom.
    if (pending !== undefined) await markPending(pending)
    await rename(draft, path)
    return true
  } finally {
    await rm(draft, { force: true })
  }
}

/** @returns the exit code of the command */
const runCommand = async (command: string): Promise<number> =>
  Bun.spawn(['sh', '-c', command], { stdio: ['ignore', 'inherit', 'inherit'] }).exited

export const pull = async (session: Session, texts: Texts): Promise<number> => {
  const { io } = session
  const given = getText(texts, 'file')
  if (given === undefined) throw createUsageError('FILE missing: the file that becomes the content of the feed')
  const command = getText(texts, 'on-change')
  // The file that a link leads to is replaced, and not the link.
  const path = (await unlessMissing(realpath(given))) ?? given
  const pending = `${path}.pending`
  const isChanged = await replace(
    { path, pending: command === undefined ? undefined : pending },
    fetchContent(session, texts),
  )
  await io.stdout.write(isChanged ? 'changed\n' : 'unchanged\n')
  if (command === undefined || !(await unlessMissing(stat(pending)))) return 0
  const code = await runCommand(command)
  if (code === 0) {
    await rm(pending, { force: true })
    return 0
  }
  await io.stderr.write(`The command ended with exit code ${code}; the next pull runs it again\n`)
  return 1
}
