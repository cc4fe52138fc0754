// Types the GraphQL documents of the REST edge against the committed schema. `npm run codegen` writes the result.
import type { CodegenConfig } from '@graphql-codegen/cli'

const config: CodegenConfig = {
  schema: 'schema.graphql',
  ignoreNoDocuments: true,
  generates: {
    'src/rest/documents.generated.ts': {
      documents: 'src/rest/**/*.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: {
        importExtension: '.ts',
        useTypeImports: true,
        enumsAsTypes: true,
        enumType: 'string-literal',
        strictScalars: true,
        scalars: {
          Asset: 'string',
          // On its way out a base-unit amount is an exact JSON number; see src/rest/exact-json.ts.
          BaseUnits: { input: 'string', output: './exact-json.ts#ExactNumber' },
          DateTimeISO: 'string',
          JSONObject: 'Readonly<Record<string, unknown>>',
          SolanaAddress: 'string',
          Text: 'string',
          UInt64: 'string',
          UUID: 'string',
          UsdCents: 'number',
        },
      },
    },
  },
}

export default config
