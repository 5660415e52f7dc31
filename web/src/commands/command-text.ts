/** Formats a call of an operation as a curl or plat command, based on the operation's declaration. */
import { commands } from 'virtual:commands'
import type { Named } from '../../../src/contract/command-name.ts'
import { formatCurl, formatPlatCommand, isEmpty } from '../../../src/surfaces/cli/parse/command-text.ts'
import type { AnyCall, Call, Form } from './call.ts'
import { listCall } from './list-call.ts'

type Input = Call['input']

const isSecret = (op: Call['op'], field: string): boolean => commands[op.http]?.secrets.includes(field) === true

/** Leaves out secrets, which do not belong in the history of a shell. */
const removeSecrets = ({ op, input }: Call): { readonly input: Input; readonly leftOut: readonly string[] } => {
  const entries = Object.entries(input)
  const secrets = entries.filter(([field, value]) => isSecret(op, field) && value !== '' && value !== undefined)
  return {
    input: Object.fromEntries(entries.filter(([field]) => !isSecret(op, field))),
    leftOut: secrets.map(([field]) => `the ${field.replaceAll('_', ' ')}`),
  }
}

/** Operations of the browser have no names. */
const getCommandName = ({ http }: Call['op']): Named => {
  const { name, cli } = commands[http] ?? { name: '' }
  return { name, ...(cli ? { cli } : {}) }
}

/** Returns the command, with descriptions of the parts of the page that it leaves out. */
export const formatCommand = (
  form: Form,
  said: AnyCall,
): { readonly text: string; readonly leftOut: readonly string[] } => {
  const call = 'list' in said ? listCall(said) : said
  const { input, leftOut } = removeSecrets(call)
  // A new object needs no fields that are empty by default.
  const isNew = call.op.http.startsWith('POST')
  const safe = {
    op: call.op,
    input: isNew ? Object.fromEntries(Object.entries(input).filter(([, value]) => !isEmpty(value))) : input,
  }
  return {
    text:
      form === 'curl'
        ? // Plain as it may be: people replace what is in it.
          formatCurl(safe.op, safe.input, (path) => `'${location.origin}${path}'`)
        : formatPlatCommand(getCommandName(safe.op), safe.input),
    leftOut: [...(call.leftOut ?? []), ...leftOut],
  }
}
