/** Flags that several commands of sources have. */
import { createArgument, createFlag } from '../../surfaces/cli/parse/command.ts'

export const ID = createArgument('id', 'The source', { ref: 'sources' })
export const OPTION = createFlag('option', 'An option of the kind', { hint: 'NAME=VALUE', isList: true })
export const SECRET = createFlag('secret', 'A secret of the kind, from a file; - is standard input', {
  hint: 'NAME=FILE',
  isList: true,
})
