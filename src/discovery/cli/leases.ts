/** `plat discovery leases`: sends the leases of a file, and prints the counts and the invalid lines. */

import { AppError } from '../../contract/errors.ts'
import { findSpaceId } from '../../inventory/spaces/cli-space.ts'
import { buildRequest, sendRequest } from '../../surfaces/cli/connection/client.ts'
import { ForeignAnswerError } from '../../surfaces/cli/connection/foreign-answer.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import { present } from '../../surfaces/cli/output/present.ts'
import { readText } from '../../surfaces/cli/parse/body-file.ts'
import { getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { LeaseFormatName, type LeasesRecorded, leases } from '../leases/leases-api.ts'

const parseFormat = (texts: Texts): LeaseFormatName => {
  const text = getText(texts, 'format') ?? 'auto'
  const known = LeaseFormatName.safeParse(text).data
  if (known === undefined) throw createUsageError(`--format must be one of ${LeaseFormatName.options.join(', ')}`)
  return known
}

const formatCounts = ({ leases: all, active, new: made, updated, expired, unplaced }: LeasesRecorded): string =>
  `${all} lease${all === 1 ? '' : 's'}, ${active} of them in force: ${made} new, ${updated} updated, ${unplaced} in no network; ${expired} over\n`

export const recordLeases = async (session: Session, texts: Texts): Promise<number> => {
  const path = getText(texts, 'file')
  if (path === undefined) throw createUsageError('FILE missing: the lease file, or - for standard input')
  const { io, globals } = session
  const format = parseFormat(texts)
  const text = await readText(io, path)
  const { transport } = await session.connect()
  const space_id = await findSpaceId(session, transport, texts)
  const { path: route, init } = buildRequest(leases.record, {
    format,
    text,
    ...(space_id !== undefined && { space_id }),
  })
  // Disables Bun's limit of five minutes for a response.
  const request = { ...init, timeout: false }
  const response = await sendRequest(transport, route, request).catch((cause: unknown) => {
    if (!(cause instanceof AppError) || cause.status !== 413 || cause instanceof ForeignAnswerError) throw cause
    throw new AppError('INVALID_INPUT', `${path} is more than the server takes at once`, { status: 413, cause })
  })
  // The contract of the server ensures this type.
  const recorded = (await response.clone().json()) as LeasesRecorded
  for (const { line, message } of recorded.errors) await io.stderr.write(`line ${line}: ${toPrintable(message)}\n`)
  if (globals.isQuiet) return 0
  if (globals.output === 'table') await io.stdout.write(formatCounts(recorded))
  else await present(session, { op: leases.record, transport, response })
  return 0
}
