/** Questions that a person selects from a menu: texts that explain to the model how to answer them. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

type PromptArgument = { readonly name: string; readonly description: string; readonly required: boolean }

export type Prompt = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
  /** Returns the text for the model; omitted arguments are ''. */
  readonly text: (given: (name: string) => string) => string
}

export const listPrompts = (prompts: readonly Prompt[]) =>
  prompts.map(({ name, title, description, arguments: args }) => ({ name, title, description, arguments: [...args] }))

/** Maximum length of an argument's text. */
const MAX_ARGUMENT = 1000

/** @throws ProtocolError that names the invalid arguments */
export const getPrompt = (
  prompts: readonly Prompt[],
  name: string,
  given: Readonly<Record<string, string>> = {},
): { description: string; messages: { role: 'user'; content: { type: 'text'; text: string } }[] } => {
  const prompt = prompts.find((one) => one.name === name)
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}`)
  const known = prompt.arguments.map((one) => one.name)
  const wrong = [
    ...Object.keys(given).flatMap((one) => (known.includes(one) ? [] : [`${one} is not an argument of this`])),
    ...Object.entries(given).flatMap(([one, text]) => (text.length > MAX_ARGUMENT ? [`${one} is too long`] : [])),
    ...prompt.arguments.flatMap((one) => (one.required && !given[one.name]?.trim() ? [`${one.name} is required`] : [])),
  ]
  if (wrong.length > 0) throw new ProtocolError(ProtocolErrorCode.InvalidParams, wrong.join('; '))
  const text = prompt.text((one) => (Object.hasOwn(given, one) ? (given[one]?.trim() ?? '') : ''))
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}
