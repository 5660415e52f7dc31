/** The choices of a custom field: of its set since 3.6, of the field itself before. */
import type { NetboxModel } from '../model.ts'
import { parseList } from '../read/lists.ts'
import type { NetboxObject } from '../read/objects.ts'

/** Returns the text of a choice: a value and its label, or only a value. */
const getChoiceText = (choice: unknown): string => String(Array.isArray(choice) ? choice[0] : choice).trim()

export const listChoices = (model: NetboxModel, { choices, choice_set }: NetboxObject): string[] => {
  const set = model.find('extras.customfieldchoiceset', choice_set)
  return [...new Set([...parseList(choices), ...parseList(set?.extra_choices)].map(getChoiceText))].filter(
    (text) => text !== '',
  )
}
