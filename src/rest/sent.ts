/** Removes the fields that were not sent: the executor reads an undefined field as null, which clears. */
export function sent<T extends object>(fields: T): T {
  for (const name in fields) if (fields[name] === undefined) Reflect.deleteProperty(fields, name)
  return fields
}
