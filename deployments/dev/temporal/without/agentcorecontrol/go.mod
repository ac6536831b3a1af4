module github.com/aws/aws-sdk-go-v2/service/bedrockagentcorecontrol

go 1.26.0
