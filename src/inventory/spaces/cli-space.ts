/** `--space NAME` of hand-written commands. */
import type { Transport } from '../../surfaces/cli/connection/client.ts'
import { getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createNames } from '../../surfaces/cli/parse/names.ts'
import { isDefault } from './fields.ts'

/** Returns the id of the space; undefined for the default one, also without the flag. */
export const findSpaceId = async (
  { program }: Session,
  transport: Transport,
  texts: Texts,
): Promise<string | undefined> => {
  const text = getText(texts, 'space')
  if (text === undefined || isDefault(text)) return undefined
  return createNames(transport, await program.contracts()).findId({ noun: 'spaces', field: 'space_id', text })
}
