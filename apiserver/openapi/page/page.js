// The page of the API: Swagger UI, whose filter finds operations by any word of their path, method, name and summary.
'use strict';

const wordsOf = (operation) => ['path', 'method'].map((key) => operation.get(key))
  .concat(['summary', 'description', 'operationId'].map((key) => operation.getIn(['operation', key])))
  .join(' ').toLowerCase();

const search = () => ({
  fn: {
    opsFilter: (byTag, phrase) => {
      const wanted = phrase.toLowerCase().split(/\s+/).filter(Boolean);
      return byTag
        .map((tag) => tag.set('operations', tag.get('operations').filter((operation) => {
          const words = wordsOf(operation);
          return wanted.every((word) => words.includes(word));
        })))
        .filter((tag) => tag.get('operations').size > 0);
    },
  },
});

window.ui = SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  plugins: [search],
  requestSnippetsEnabled: true,
  showExtensions: true,
  validatorUrl: null,
});
