/** Renders a JSON Schema as HTML for people: fields with type, bounds and description, nested objects indented. */
import { html } from 'hono/html'
import { getBaseType, getRefName, isNullable, type JsonSchema } from '../../contract/json-schema.ts'

export type Html = ReturnType<typeof html>

const LENGTH_WORDS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' }

/** @example formatInterval(1, 255, 'characters') // '1-255 characters' */
const formatInterval = (min: number | undefined, max: number | undefined, word = ''): string | undefined => {
  const unit = word && ` ${word}`
  if (min !== undefined && max !== undefined) return `${min}-${max}${unit}`
  if (max !== undefined) return `at most ${max}${unit}`
  return min === undefined || min === 0 ? undefined : `at least ${min}${unit}`
}

/** People do not read longer patterns; the document has them. */
const MAX_PATTERN = 80

/** Returns the constraints of a value besides its type. */
export const formatBounds = (schema: JsonSchema): string[] =>
  [
    formatInterval(schema.minLength, schema.maxLength, LENGTH_WORDS.string),
    formatInterval(schema.minItems, schema.maxItems, LENGTH_WORDS.array),
    formatInterval(schema.minimum, schema.maximum),
    schema.format,
    schema.pattern === undefined || schema.pattern.length > MAX_PATTERN ? undefined : `matches ${schema.pattern}`,
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((bound) => bound !== undefined)

const link = (ref: string): Html => html`<a href="#schema-${getRefName(ref)}">${getRefName(ref)}</a>`

const joinHtml = (parts: readonly Html[]): Html =>
  html`${parts.map((part, i) => (i === 0 ? part : html` <span class="or">|</span> ${part}`))}`

/** Formats the type in a few words, with named schemas as links. */
export const formatType = (schema: JsonSchema): Html => {
  if (schema.$ref !== undefined) return link(schema.$ref)
  if (schema.enum !== undefined)
    return joinHtml(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`))
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  const options = schema.anyOf ?? schema.oneOf
  if (options) return joinHtml(options.map(formatType))
  const orNull = isNullable(schema) ? html` <span class="or">|</span> null` : ''
  if (getBaseType(schema) === 'array' && schema.items) return html`list of ${formatType(schema.items)}${orNull}`
  return html`${getBaseType(schema) ?? 'any'}${orNull}`
}

/** Returns the schema with the fields that are shown below a field: an object's, or that of the objects of a list. */
const getNestedSchema = (schema: JsonSchema): JsonSchema | undefined => {
  if (schema.properties) return schema
  if (schema.items) return getNestedSchema(schema.items)
  return schema.anyOf?.map(getNestedSchema).find((nested) => nested !== undefined)
}

export type Field = {
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
  readonly description?: string | undefined
  /** The part of the request that carries a parameter. */
  readonly place?: string
}

const renderField = ({ name, schema, isRequired, description, place }: Field): Html => {
  const bounds = [
    ...formatBounds(schema),
    ...(schema.items ? formatBounds(schema.items).map((bound) => `each ${bound}`) : []),
  ]
  const nested = getNestedSchema(schema)
  const meaning = description ?? schema.description
  return html`<li>
    <div class="field">
      <code class="name">${name}</code>
      <span class="type">${formatType(schema)}</span>
      ${place ? html`<span class="place">${place}</span>` : ''}
      ${isRequired ? html`<span class="required">required</span>` : ''}
      ${bounds.length > 0 ? html`<span class="bounds">${bounds.join(' · ')}</span>` : ''}
    </div>
    ${meaning ? html`<p>${meaning}</p>` : ''}
    ${nested ? renderFields(listFields(nested)) : ''}
  </li>`
}

export const listFields = ({ properties = {}, required = [] }: JsonSchema, showRequired = true): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: showRequired && required.includes(name),
  }))

export const renderFields = (fields: readonly Field[]): Html => html`<ul class="fields">${fields.map(renderField)}</ul>`

/** Renders a body: its type, and its fields unless a named schema shows them in another section. */
export const renderBody = (schema: JsonSchema): Html => {
  const nested = getNestedSchema(schema)
  if (!nested) return html`<p class="body-type">${formatType(schema)}</p>`
  return html`${getBaseType(schema) === 'array' ? html`<p class="body-type">list of objects</p>` : ''}${renderFields(listFields(nested))}`
}
