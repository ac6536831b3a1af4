module github.com/aws/aws-sdk-go-v2/service/bedrockagentcore

go 1.26.0
