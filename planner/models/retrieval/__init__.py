"""What is looked up for a question and told with it: examples, documents and words, functions of the server.

Each is found by the words it shares with the question, without a model: SSEV's demonstrations,
ReCAPAgent-SQL's retrievers, APEX-SQL's evidence linking.
"""
